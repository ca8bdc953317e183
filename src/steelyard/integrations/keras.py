"""Keras 3 callback: metrics of the validation set after every epoch, on any backend."""

# Metrics of Keras are means over batches, which G-mean, MCC and F1 are not; here the whole validation set is
# predicted after every epoch and evaluated once.

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from steelyard.errors import InputError, extra_needed
from steelyard.integrations.learners import LearnerMeasure
from steelyard.measures.measure import Measure

with extra_needed("keras", "keras", "a callback of Keras"):
    import keras


class MeasureCallback(keras.callbacks.Callback):  # type: ignore[misc]
    """Measures of the validation set after every epoch, in the logs as `val_gmean` and so on.

    `validation_data` is (x, y), (x, y, sample_weight), or anything that gives such batches again and again: a
    PyDataset, a tf.data.Dataset, a DataLoader. Classes are numbered from 0 or one-hot. Put it before
    `EarlyStopping(monitor="val_gmean", mode="max")` and `ModelCheckpoint`, which read the logs after it;
    `mode("gmean")` says which mode is right. One output column is the probability of class 1 and becomes a
    label at `threshold` (0.5; name it for log odds), of several the largest decides.
    """

    def __init__(
        self,
        validation_data: Any,
        measures: str | Measure | Iterable[str | Measure] = "gmean",
        *,
        threshold: float | None = None,
        positive: int | None = None,
        batch_size: int | None = None,
        prefix: str = "val_",
    ) -> None:
        super().__init__()
        listed = [measures] if isinstance(measures, (str, Measure)) else list(measures)
        if not listed:
            raise InputError("there is nothing to compute", found="no metrics", do="name one")
        if isinstance(validation_data, (tuple, list)) and len(validation_data) not in (2, 3):
            raise InputError(
                "validation data are x, y and perhaps weights",
                found=f"{len(validation_data)} parts",
                allowed="(x, y) or (x, y, sample_weight)",
            )
        self._data, self._batch_size = validation_data, batch_size
        self._measured = {
            prefix + m.measure.name: m for m in (LearnerMeasure.named(n, threshold, positive) for n in listed)
        }

    def mode(self, name: str | Measure) -> str:
        """ "max" or "min", for the `mode` of EarlyStopping and ModelCheckpoint."""
        return "max" if LearnerMeasure.named(name).maximize else "min"

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Predict the validation set and add every measure to the logs."""
        truth, scores, weight = self._predicted()
        for name, measured in self._measured.items():
            value = measured(truth, scores, weight)
            if logs is not None:
                logs[name] = value

    def _predicted(self) -> tuple[Any, Any, Any]:
        if isinstance(self._data, (tuple, list)):
            x, y, *weight = self._data
            scores = self.model.predict(x, batch_size=self._batch_size, verbose=0)
            return _array(y), _array(scores), _array(weight[0]) if weight else None
        truths, columns, weights = [], [], []
        # G-mean and F1 are no means over batches: predictions of all batches are put together first.
        batches = self._data
        if isinstance(batches, keras.utils.PyDataset):  # it has no end of its own
            batches = (self._data[place] for place in range(len(self._data)))
        for x, y, *weight in batches:
            columns.append(_array(self.model.predict_on_batch(x)))
            truths.append(_array(y))
            weights.append(_array(weight[0]) if weight else None)
        if not truths:
            raise InputError(
                "the validation data are empty",
                found="no batch",
                do="give data that can be gone through after every epoch; a generator ends with the first",
            )
        present = [batch for batch in weights if batch is not None]
        if present and len(present) < len(weights):
            raise InputError(
                "some batches have weights and some have none", found=f"{len(present)} of {len(weights)}"
            )
        return np.concatenate(truths), np.concatenate(columns), np.concatenate(present) if present else None


def _array(tensor: Any) -> Any:
    """A tensor of any backend, as NumPy."""
    return np.asarray(keras.ops.convert_to_numpy(tensor))
