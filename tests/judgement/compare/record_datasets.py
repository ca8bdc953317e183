"""Record what autorank and baycomp say of random tables; run it in an environment that has them."""

import json
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np

TABLES = 1000
PAIRS = 20


def table(seed):
    """A random table of scores (data sets, models); every third has ties."""
    rng = np.random.default_rng(seed)
    datasets, models = int(rng.integers(5, 40)), int(rng.integers(3, 9))
    values = rng.normal(0.8, 0.1, (datasets, 1)) + rng.normal(0, 0.05, (datasets, models))
    values += np.linspace(0, rng.uniform(0, 0.1), models)
    return values.round(2) if seed % 3 == 0 else values


def differences(seed):
    rng = np.random.default_rng(10_000 + seed)
    number = int(rng.integers(6, 40))
    return rng.normal(rng.uniform(-0.02, 0.02), 0.03, number)


def main():
    import autorank
    import baycomp
    import pandas as pd

    warnings.simplefilter("ignore")
    friedman = []
    for seed in range(TABLES):
        frame = pd.DataFrame(table(seed), columns=[f"m{k}" for k in range(table(seed).shape[1])])
        found = autorank.autorank(frame, force_mode="nonparametric", alpha=0.05)
        ranks = found.rankdf["meanrank"].reindex(frame.columns).tolist()
        friedman.append([float(f"{x:.10g}") for x in (found.pvalue, found.cd, *ranks)])
    bayes = []
    for seed in range(PAIRS):
        gaps = differences(seed)
        names = baycomp.SignedRankTest.probs(gaps, np.zeros_like(gaps), 0.01, nsamples=20_000, random_state=0)
        bayes.append([float(f"{x:.5f}") for x in names])
    versions = {name: version(name) for name in ("autorank", "baycomp", "scipy", "numpy")}
    text = json.dumps({"versions": versions, "friedman": friedman, "signed_rank": bayes})
    Path(__file__).with_name("datasets_peers.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
