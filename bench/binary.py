"""Two classes, 5 million rows in memory: every measure, and the AUC alone."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from bench.timing import best_of_each, heading, line


def rows(n: int = 5_000_000, seed: int = 7) -> tuple[Any, Any]:
    """Truth (0 or 1, int64) and probabilities of 1 (float64)."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.3).astype(np.int64)
    logit = rng.normal(size=n) + 1.2 * truth - 1.0
    return truth, 1.0 / (1.0 + np.exp(-logit))


def everything(truth: Any, score: Any, *, intervals: bool = False) -> Any:
    """All of heldout's measures of two classes."""
    import heldout

    return heldout.score(truth, y_score=score, intervals=intervals).results(everything=True)


def auc_alone(truth: Any, score: Any) -> float:
    """heldout's AUC and nothing else."""
    import heldout

    return float(heldout.score(truth, y_score=score, intervals=False)["auc"])


def scikit_learn(truth: Any, score: Any) -> dict[str, Any]:
    """The scikit-learn functions that together give less than heldout's scorecard."""
    from sklearn import metrics as m

    label = (score >= 0.5).astype(np.int64)
    return {
        "roc_auc_score": lambda: m.roc_auc_score(truth, score),
        "average_precision_score": lambda: m.average_precision_score(truth, score),
        "log_loss": lambda: m.log_loss(truth, score),
        "brier_score_loss": lambda: m.brier_score_loss(truth, score),
        "confusion_matrix": lambda: m.confusion_matrix(truth, label),
        "classification_report": lambda: m.classification_report(truth, label),
        "roc_curve": lambda: m.roc_curve(truth, score),
        "precision_recall_curve": lambda: m.precision_recall_curve(truth, score),
    }


def aucs_of_peers(truth: Any, score: Any) -> dict[str, Any]:
    """The AUC of every installed peer."""
    from sklearn.metrics import roc_auc_score

    found: dict[str, Any] = {"scikit-learn roc_auc_score": lambda: roc_auc_score(truth, score)}
    try:
        import polars
        import polars_ds

        frame = polars.DataFrame({"y": truth, "s": score})
        found["polars-ds query_roc_auc"] = lambda: frame.select(polars_ds.query_roc_auc("y", "s"))
    except ImportError:
        print("  (polars-ds is not installed: not compared)")
    try:
        import torch
        from torchmetrics.functional.classification import binary_auroc

        y, s = torch.from_numpy(truth), torch.from_numpy(score)
        found["torchmetrics binary_auroc"] = lambda: binary_auroc(s, y)
    except ImportError:
        print("  (torchmetrics is not installed: not compared)")
    return found


def peak_memory(n: int, *, intervals: bool = False) -> float:
    """Extra peak memory of all measures, in sizes of the input arrays (in a process of its own)."""
    with tempfile.TemporaryDirectory() as path:  # loading makes no peak, as making rows does
        for name, values in zip(("truth", "score"), rows(n), strict=True):
            np.save(f"{path}/{name}.npy", values)
        code = f"from bench.binary import measure_memory; measure_memory({path!r}, {intervals})"
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout)


def measure_memory(path: str, intervals: bool) -> None:
    """Print the growth of the peak over what the arrays and the imports take."""
    truth, score = (np.load(f"{path}/{name}.npy") for name in ("truth", "score"))
    everything(truth[:1000], score[:1000], intervals=intervals)  # imports are not the rows' memory
    before = peak_bytes()
    everything(truth, score, intervals=intervals)
    print((peak_bytes() - before) / (truth.nbytes + score.nbytes))


def peak_bytes() -> int:
    """The most memory this process has held; on Linux getrusage would count its parent's too."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(row for row in status.read_text().splitlines() if row.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def run(n: int = 5_000_000) -> None:
    """Print the section."""
    truth, score = rows(n)
    heading(f"two classes, {n:,} rows, float64 scores: every measure")
    count = len(everything(truth, score))
    # as many runs of each: the best of more would look faster beside other work
    taken = best_of_each(
        {"heldout": lambda: everything(truth, score), **scikit_learn(truth, score)}, 2
    )
    ours = taken.pop("heldout")
    for name, seconds in taken.items():
        line(f"scikit-learn {name}", seconds)
    line(f"heldout, {count} values", ours)
    line("scikit-learn, the eight together", sum(taken.values()), ours)
    heading("the AUC alone")
    works = {"heldout": lambda: auc_alone(truth, score), **aucs_of_peers(truth, score)}
    taken = best_of_each(works, 5)
    for name, seconds in taken.items():
        line(name, seconds, taken["heldout"] if name != "heldout" else None)
    fastest = min(seconds for name, seconds in taken.items() if name != "heldout")
    print(f"  the fastest peer takes {fastest / taken['heldout']:.1f} times as long as heldout")
    heading("peak memory of every measure")
    print(f"  {peak_memory(n):.2f} times the input arrays, beyond them")
    print(f"  {peak_memory(n, intervals=True):.2f} times with all default intervals")
