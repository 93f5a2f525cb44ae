#!/usr/bin/env bash
# Show karat's main job on the example data: each command is printed, then run.
set -euo pipefail

show() {
    printf '\n# %s\n$' "$1"
    shift
    printf ' %s' "${@@Q}" | sed -E "s/'([A-Za-z0-9_.:,=-]+)'/\1/g"
    printf '\n\n'
    "$@"
}

show "A spam filter: what can be stated of its predictions" \
    karat score example:spam --truth label --score p_spam --positive spam

show "Which of three filters is better? The best ranking is not the most accurate" \
    karat score example:models --model model --id id --truth label --score p_spam --positive spam

show "Three classes, out of a 10-fold cross-validation" \
    karat score example:iris_predictions --truth truth --predicted predicted \
    --score-prefix p_ --train-count-prefix train_n_ --fold fold

show "A regression" \
    karat score example:diabetes_predictions --truth truth --predicted predicted \
    --train-mean train_mean --fold fold

show "A confusion matrix and nothing else" \
    karat score --matrix "266,29;30,75" --orientation truth-rows --labels ham,spam --positive spam

show "What is recall?" \
    karat measures recall
