"""A metric of torchmetrics, held against torchmetrics' own metrics and scikit-learn. Runs under `make test-integrations`."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, recall_score, roc_auc_score

import steelyard as sy
from steelyard.errors import InputError
from tests.real_parts import needs

pytestmark = [pytest.mark.integrations, pytest.mark.filterwarnings("ignore:.*pkg_resources:UserWarning")]


@pytest.fixture(scope="module")
def torch():
    needs("torchmetrics")
    return needs("torch")


@pytest.fixture(scope="module")
def metric(torch):
    from steelyard.integrations.torchmetrics import MeasureMetric

    return MeasureMetric


@pytest.fixture(scope="module")
def batches(torch):
    generator = np.random.default_rng(3)
    truth = (generator.random(900) < 0.1).astype(np.int64)
    scores = np.clip(0.3 * truth + 0.7 * generator.random(900), 0, 1)
    return [
        (torch.from_numpy(s), torch.from_numpy(t))
        for s, t in zip(np.split(scores, 9), np.split(truth, 9), strict=True)
    ]


def columns(batches):
    return (np.concatenate([part[k].numpy() for part in batches]) for k in (0, 1))


def test_two_classes_batch_by_batch(metric, batches):
    gmean = metric("gmean")
    for scores, truth in batches:
        gmean.update(scores, truth)
    scores, truth = columns(batches)
    sides = [recall_score(truth, scores >= 0.5, pos_label=k) for k in (0, 1)]
    assert gmean.compute().item() == pytest.approx(np.sqrt(np.prod(sides)), abs=1e-12)
    assert gmean.counted.counts.sum() == 900
    gmean.reset()
    assert gmean.counted.counts.sum() == 0


def test_beside_torchmetrics_own_in_a_collection(torch, metric, batches):
    from torchmetrics import MetricCollection
    from torchmetrics.classification import BinaryMatthewsCorrCoef, BinaryRecall

    both = MetricCollection(
        {
            "recall": metric("recall"),
            "their_recall": BinaryRecall(),
            "mcc": metric("mcc"),
            "their_mcc": BinaryMatthewsCorrCoef(),
        }
    )
    for batch in batches:
        of_the_batch = both(*batch)
        assert of_the_batch["recall"].item() == pytest.approx(of_the_batch["their_recall"].item(), abs=1e-6)
    found = both.compute()
    assert found["recall"].item() == pytest.approx(found["their_recall"].item(), abs=1e-6)
    assert found["mcc"].item() == pytest.approx(found["their_mcc"].item(), abs=1e-6)


def test_many_classes_by_labels_by_scores_and_of_pictures(torch, metric):
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(6, 3, 4, 5, generator=generator)
    truth = torch.randint(0, 3, (6, 4, 5), generator=generator)
    by_scores, by_labels = metric("macro_recall", num_classes=3), metric("macro_recall", num_classes=3)
    by_scores.update(scores, truth)
    by_labels.update(scores.argmax(dim=1), truth)
    expected = balanced_accuracy_score(truth.reshape(-1), scores.argmax(dim=1).reshape(-1))
    assert by_scores.compute().item() == pytest.approx(expected, abs=1e-12)
    assert by_labels.compute().item() == by_scores.compute().item()
    of_one = metric("recall", num_classes=3, positive=2)
    of_one.update(scores, truth)
    expected = recall_score(truth.reshape(-1), scores.argmax(dim=1).reshape(-1), labels=[2], average=None)
    assert of_one.compute().item() == pytest.approx(expected[0], abs=1e-12)


def test_areas_keep_the_scores(torch, metric, batches):
    area = metric("roc_auc")
    for scores, truth in batches:
        area.update(scores, truth)
    scores, truth = columns(batches)
    assert area.compute().item() == pytest.approx(roc_auc_score(truth, scores), abs=1e-12)
    pairs = metric("roc_auc")
    for scores, truth in batches:
        pairs.update(torch.stack([1 - scores, scores], dim=1), truth)
    assert pairs.compute().item() == pytest.approx(area.compute().item(), abs=1e-12)
    with pytest.raises(InputError, match="needs scores"):
        metric("roc_auc").update(torch.tensor([1, 0]), torch.tensor([1, 0]))


def test_weights_and_rows_left_out(torch, metric):
    accuracy = metric("accuracy", ignore_index=-100)
    said, truth = torch.tensor([1, 0, 1, 0]), torch.tensor([1, 1, 0, -100])
    accuracy.update(said, truth, sample_weight=torch.tensor([3.0, 1.0, 0.5, 9.0]))
    assert accuracy.compute().item() == pytest.approx(3 / 4.5)
    accuracy.update(said, truth)
    assert accuracy.compute().item() == pytest.approx(4 / 7.5)


def test_a_hundred_million_rows_stay_exact(torch, metric):
    """Counts are whole numbers: one more row is seen, which float32 does not see beyond 16,777,216."""
    recall = metric("recall")
    recall.update(torch.tensor([0, 1]), torch.tensor([1, 1]))
    recall.counts *= 50_000_000
    recall.update(torch.tensor([1]), torch.tensor([1]))
    assert recall.compute().item() == 50_000_001 / 100_000_001
    assert recall.counted.counts.tolist() == [[0, 0], [50_000_000, 50_000_001]]


def test_it_is_copied_pickled_and_restored(torch, metric, batches):
    first = metric("class_balance_accuracy")
    first.update(*batches[0])
    for other in (copy.deepcopy(first), pickle.loads(pickle.dumps(first)), first.clone()):
        assert other.compute().item() == first.compute().item()
        other.update(*batches[1])
        assert other.counted.counts.sum() == 200
    assert first.counted.counts.sum() == 100
    kept = metric("class_balance_accuracy")
    kept.persistent(True)
    first.persistent(True)
    kept.load_state_dict(first.state_dict())
    assert kept.counted.counts.tolist() == first.counted.counts.tolist()


def test_the_best_step_is_found_by_torchmetrics_tracker(torch, metric):
    from torchmetrics import MetricTracker

    for name, best in (("recall", 1), ("error_rate", 0)):
        tracker = MetricTracker(metric(name))
        for said in ([1, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0]):
            tracker.increment()
            tracker.update(torch.tensor(said), torch.tensor([1, 1, 0, 0]))
        assert tracker.best_metric(return_step=True)[1] == best


def share(rank, address, found):
    import torch
    from torch import distributed

    from steelyard.integrations.torchmetrics import MeasureMetric

    distributed.init_process_group("gloo", init_method=address, rank=rank, world_size=2)
    gmean, area = MeasureMetric("gmean"), MeasureMetric("roc_auc")
    truth = torch.tensor([0, 0, 1]) if rank else torch.tensor([0, 1, 1, 0])
    scores = torch.tensor([0.1, 0.9, 0.8]) if rank else torch.tensor([0.3, 0.4, 0.7, 0.2])
    for metric in (gmean, area):
        metric.update(scores, truth)
    found[rank] = (gmean.compute().item(), area.compute().item())
    distributed.destroy_process_group()


def test_processes_of_a_distributed_run_add_up(torch, metric, tmp_path):
    """By hand: 3 of 4 zeros and 2 of 3 ones are told right; of the 12 pairs 10 are in order."""
    with torch.multiprocessing.Manager() as manager:
        found = manager.dict()
        torch.multiprocessing.spawn(share, ((tmp_path / "meet").as_uri(), found), nprocs=2)
        assert found[0] == found[1]
        assert found[0][0] == pytest.approx(np.sqrt(3 / 4 * 2 / 3))
        assert found[0][1] == pytest.approx(9 / 12)


@pytest.mark.parametrize(
    ("said", "truth", "words"),
    [
        ([0.2, 3.0], [0, 1], "probabilities.*threshold=0"),
        ([0.2, float("nan")], [0, 1], "no numbers"),
        ([0, 2], [0, 1], "preds holds a class"),
        ([0, 1], [0, 7], "target holds a class"),
        ([[0.1, 0.2, 0.7]], [1], "do not go with"),
        ([0, 1, 1], [0, 1], "do not go with"),
        ([0, 1], [0.5, 1], "numbers of classes"),
    ],
)
def test_bad_batches_are_refused_in_a_sentence(torch, metric, said, truth, words):
    gmean = metric("gmean")
    with pytest.raises(InputError, match=words):
        gmean.update(torch.tensor(said), torch.tensor(truth))
    assert gmean.counted.counts.sum() == 0


def test_log_odds_with_their_threshold_and_what_cannot_be_built(torch, metric):
    gmean = metric("gmean", threshold=0.0)
    gmean.update(torch.tensor([-3.0, 2.0]), torch.tensor([0, 1]))
    assert gmean.compute().item() == 1
    with pytest.raises(InputError, match="number of classes"):
        metric("gmean", num_classes=1)
    with pytest.raises(InputError, match="which model is better"):
        metric("prevalence")


def test_undefined_is_nan_and_said(torch, metric):
    precision = metric("precision")
    precision.update(torch.tensor([0, 0]), torch.tensor([0, 1]))
    with pytest.warns(UserWarning, match="precision is undefined"):
        assert precision.compute().isnan()


def test_the_whole_evaluation_of_what_was_counted(metric, batches):
    gmean = metric("gmean")
    for batch in batches:
        gmean.update(*batch)
    result = sy.evaluate(gmean.counted, positive=1, interval=None)
    assert result["gmean"] == pytest.approx(gmean.compute().item())
