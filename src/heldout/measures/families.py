"""The families of measures: their names and the modules that declare them, in order."""

from __future__ import annotations

__all__ = ["FAMILIES", "family_of"]

FAMILIES: dict[str, tuple[str, ...]] = {
    "confusion matrix": (
        "accuracy",
        "agreement",
        "confusion",
        "confusion_balance",
        "confusion_odds",
        "confusion_counts",
        "confusion_tests",
    ),
    "profit and cost": ("profit",),
    "ranking by scores": (
        "ranking",
        "precision_recall",
        "best_thresholds",
        "operating_points",
        "multiclass_ranking",
    ),
    "probabilities": (
        "probability",
        "probability_errors",
        "probability_skill",
        "probability_region",
    ),
    "information": ("information", "information_coding"),
    "calibration": (
        "calibration",
        "calibration_murphy",
        "calibration_line",
        "calibration_gain",
        "calibration_tests",
        "spiegelhalter",
        "calibration_smooth",
    ),
    "regression": (
        "regression",
        "regression_fit",
        "regression_relative",
        "regression_percentage",
        "regression_robust",
        "regression_deviance",
    ),
}


def family_of(module: str) -> str:
    """The family of the measures that a module declares; an outside module is its own family."""
    name = module.rsplit(".", 1)[-1]
    return next((family for family, modules in FAMILIES.items() if name in modules), name)
