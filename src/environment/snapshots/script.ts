// What runs in the sandbox: git in our own folder, which is GIT_DIR. The project's own is only read.

import { MAX_KEPT_BYTES } from "../../domain/authoring/workspace.ts";

/** Of all that one command changed. */
const MAX_BYTES = 64 * 1024 * 1024;
/** The last that a script prints which did all that it should. */
export const END = "\nend\n";

/**
 * `sh script seed <own> <shared>` copies the index of the project, which knows what was read when, and writes down what has to be known
 * of its entries. `sh script look <own> <shared>` prints the id of the tree that is there and one for all refs; once it read a line, the
 * same again, then each difference, and then the contents of all that differ.
 */
export const SCRIPT = `set -e
own=$2
shared=$3
seed() {
  if [ -f "$shared/info/exclude" ]; then cat "$shared/info/exclude" >>"$GIT_DIR/info/exclude"; fi
  : >"$GIT_DIR/listed"; : >"$GIT_DIR/sizes"; : >"$GIT_DIR/attributes"
  if [ ! -f "$own/index" ]; then return; fi
  cat "$own/index" >"$GIT_DIR/index"
  git ls-files -z --stage --debug >"$GIT_DIR/listed"
  git ls-files --stage | cut -d' ' -f2 | git cat-file --batch-check='%(objectsize)' >"$GIT_DIR/sizes"
  git ls-files -z | GIT_INDEX_FILE="$GIT_DIR/index" GIT_DIR="$own" \\
    git check-attr -z --stdin filter ident working-tree-encoding >"$GIT_DIR/attributes"
}
look() {
  if [ -f "$GIT_DIR/doubtful" ]; then
    git update-index -z --force-remove --stdin <"$GIT_DIR/doubtful"
    rm "$GIT_DIR/doubtful"
  fi
  git add --all >"$GIT_DIR/added"
  tree=$(git write-tree)
  failed=0
  git --git-dir="$own" show-ref --head >"$GIT_DIR/refs.now" || failed=$?
  [ "$failed" -le 1 ]
  cat "$own/HEAD" >>"$GIT_DIR/refs.now"
  refs=$(git hash-object "$GIT_DIR/refs.now")
  printf '%s %s\\n' "$tree" "$refs"
}
differ() {
  git diff-tree -r -z --no-renames "$1" "$2"
  git diff-tree -r --no-renames "$1" "$2" |
    while read -r _ _ old new _; do printf '%s\\n%s\\n' "$old" "$new"; done |
    sort -u | git cat-file --batch-check | {
      all=0
      while read -r id kind size; do
        if [ "$kind" = blob ] && [ "$size" -le ${MAX_KEPT_BYTES} ] && [ $((all + size)) -le ${MAX_BYTES} ]; then
          all=$((all + size))
          printf '%s\\n' "$id"
        fi
      done
    } | git cat-file --batch
}
if [ "$1" = seed ]; then
  seed
else
  look
  before=$tree
  read -r _
  look
  if [ "$tree" != "$before" ]; then differ "$before" "$tree"; fi
fi
printf '\\nend\\n'
`;
