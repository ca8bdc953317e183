"""Keras trains on its torch backend and stops early on our measures. Runs under `make test-integrations`."""

import os

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, balanced_accuracy_score, recall_score

from steelyard.errors import InputError
from tests.real_parts import needs

pytestmark = [
    pytest.mark.integrations,
    # Keras 3.15 hands torch's tensors to NumPy in a way that NumPy 2 is about to give up.
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),
]


@pytest.fixture(scope="module")
def keras():
    os.environ.setdefault("KERAS_BACKEND", "torch")
    needs("torch")
    library = needs("keras")
    library.utils.set_random_seed(0)
    return library


@pytest.fixture(scope="module")
def rows():
    generator = np.random.default_rng(7)
    features = generator.normal(size=(600, 4)).astype("float32")
    truth = (features[:, 0] + 0.5 * generator.normal(size=600) > 1.2).astype(int)
    return features[:400], truth[:400], features[400:], truth[400:]


def network(keras, outputs=1):
    activation, loss = (
        ("sigmoid", "binary_crossentropy") if outputs == 1 else ("softmax", "categorical_crossentropy")
    )
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(outputs, activation=activation)])
    model.compile(keras.optimizers.Adam(0.05), loss)
    return model


def test_early_stopping_reads_the_measure(keras, rows):
    from steelyard.integrations.keras import MeasureCallback

    train, truth, held, expected = rows
    model = network(keras)
    weigh = MeasureCallback((held, expected), ["gmean", "average_precision"])
    stop = keras.callbacks.EarlyStopping(
        monitor="val_gmean", mode=weigh.mode("gmean"), patience=3, restore_best_weights=True
    )
    history = model.fit(train, truth, epochs=40, batch_size=64, verbose=0, callbacks=[weigh, stop]).history
    assert len(history["val_gmean"]) == len(history["loss"]) < 40
    scores = model.predict(held, verbose=0)[:, 0]
    sides = [recall_score(expected, scores >= 0.5, pos_label=k) for k in (0, 1)]
    assert max(history["val_gmean"]) == pytest.approx(np.sqrt(np.prod(sides)), abs=1e-12)
    best = history["val_average_precision"][stop.best_epoch]
    assert best == pytest.approx(average_precision_score(expected, scores.astype(float)), abs=1e-9)


def test_many_classes_one_hot_in_batches_of_a_loader(keras, rows):
    import torch

    from steelyard.integrations.keras import MeasureCallback

    train, _, held, _ = rows
    classes = [np.digitize(part[:, 0], [-0.5, 1.0]) for part in (train, held)]
    coded = keras.utils.to_categorical(classes[1], 3)
    data = torch.utils.data.TensorDataset(torch.from_numpy(held), torch.from_numpy(coded))
    loader = torch.utils.data.DataLoader(data, batch_size=64)
    model = network(keras, 3)
    history = model.fit(
        train,
        keras.utils.to_categorical(classes[0], 3),
        epochs=2,
        verbose=0,
        callbacks=[MeasureCallback(loader, "macro_recall")],
    ).history
    said = model.predict(held, verbose=0).argmax(axis=1)
    assert history["val_macro_recall"][-1] == pytest.approx(
        balanced_accuracy_score(classes[1], said), abs=1e-12
    )


def test_a_dataset_of_keras_and_weights(keras, rows):
    from steelyard.integrations.keras import MeasureCallback

    train, truth, held, expected = rows
    weight = np.linspace(0.1, 2, len(expected))

    class Batches(keras.utils.PyDataset):
        def __len__(self):
            return 4

        def __getitem__(self, place):
            part = slice(50 * place, 50 * place + 50)
            return held[part], expected[part], weight[part]

    model = network(keras)
    callbacks = [
        MeasureCallback(Batches(), "accuracy"),
        MeasureCallback((held, expected, weight), "accuracy", prefix="whole_"),
    ]
    history = model.fit(train, truth, epochs=2, verbose=0, callbacks=callbacks).history
    assert history["val_accuracy"] == pytest.approx(history["whole_accuracy"], abs=1e-12)
    said = model.predict(held, verbose=0)[:, 0] >= 0.5
    assert history["val_accuracy"][-1] == pytest.approx(
        np.average(said == expected, weights=weight), abs=1e-12
    )


def test_what_it_refuses(keras, rows):
    from steelyard.integrations.keras import MeasureCallback

    train, truth, held, expected = rows
    with pytest.raises(InputError, match="nothing to compute"):
        MeasureCallback((held, expected), [])
    with pytest.raises(InputError, match="x, y and perhaps weights"):
        MeasureCallback((held,), "gmean")
    once = ((part, said) for part, said in [(held, expected)])
    with pytest.raises(InputError, match="a generator ends with the first"):
        network(keras).fit(train, truth, epochs=2, verbose=0, callbacks=[MeasureCallback(once, "gmean")])
