#!/usr/bin/env bash
# Show heldout's main job: evaluate models on data, and work with the results.
# Each command is printed, then run.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HELDOUT_STORE="$folder/runs"

show() {
    printf '\n# %s\n$' "$1"
    shift
    printf ' %s' "${@@Q}" | sed -E "s/'([A-Za-z0-9_.:,=/-]+)'/\1/g; s#$folder/##g"
    printf '\n\n'
    "$@"
}

show "Which classifier? Five models on breast cancer data, 3 repeats of stratified 10-fold" \
    heldout evaluate wdbc --models lda,knn,nb,logistic,tree --procedure 3x10-fold --jobs 2 \
    --predictions "$folder/wdbc.parquet" --report heldout-demo.html

show "The same run is answered from the store, as an interrupted one would be resumed; one model" \
    heldout evaluate wdbc --models lda --procedure 3x10-fold --training-error

show "Three classes, the same way" \
    heldout evaluate iris --models knn,lda,qda,nb,svm --procedure 3x10-fold --jobs 2 --quiet

show "Leave-one-out is exact here, and costs a single fit" \
    heldout evaluate iris --models knn,lda,qda,nb --procedure loo --measure accuracy --quiet

show "The out-of-fold predictions are an ordinary table" \
    heldout score "$folder/wdbc.parquet" --positive malignant --measure auc --measure brier \
    --measure log_loss --quiet

show "Is the difference real? The design of the evaluation decides the test" \
    heldout compare "$folder/wdbc.parquet" --measure accuracy --quiet

show "A spam filter whose predictions were made elsewhere" \
    heldout score example:spam --truth label --score p_spam --positive spam --quiet

cat <<'NOTE'

Next: heldout evaluate your.csv --target COLUMN --positive CLASS --models knn,forest,my.module:make
      run it again to resume or to add models (finished folds are stored in .heldout)
      heldout score out_of_fold.csv --all --plot all=charts     every measure, every chart
      heldout select iris --model knn --grid n_neighbors=1..30  choose settings and estimate how well they do
      heldout compare a.csv b.csv --truth y --score p --id row  is the difference real?
      heldout audit your.csv --target COLUMN --procedure 10-fold  check for data leakage
      heldout evaluate --help, heldout measures recall, README.md
NOTE
printf '\nThe page of the first evaluation, for people: %s/heldout-demo.html\n' "$PWD"
