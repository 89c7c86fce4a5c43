// What runs in the sandbox: git in our own folder, which is GIT_DIR. The project's own is only read.

import { MAX_KEPT_BYTES } from "../../domain/authoring/workspace.ts";

/** Of all that one command changed. */
const MAX_BYTES = 64 * 1024 * 1024;
/**
 * `sh script <own> <shared> <answer>` does what each line that it reads says, writes what is asked for into the file `answer` of GIT_DIR and
 * prints a line then. `seed` copies the index of the project, which knows what was read when, and writes down what has to be known of its
 * entries; `look` looks what is there; `differ` looks again, and answers `moved` if refs were moved since, else `still`, each
 * difference, and the contents of all that differ.
 */
export const SCRIPT = `set -e
own=$1
shared=$2
seed() {
  if [ -f "$shared/info/exclude" ]; then cat "$shared/info/exclude" >>"$GIT_DIR/info/exclude"; fi
  : >"$GIT_DIR/listed"; : >"$GIT_DIR/sizes"; : >"$GIT_DIR/attributes"
  if [ ! -f "$own/index" ]; then return; fi
  # Its time tells which files may have changed in the very moment when it was written.
  cp -p "$own/index" "$GIT_DIR/index"
  git update-index -q --refresh >"$GIT_DIR/said" || :
  git ls-files -z --stage --debug >"$GIT_DIR/listed"
  git ls-files --stage | cut -d' ' -f2 | git cat-file --batch-check='%(objectsize)' >"$GIT_DIR/sizes"
  git ls-files -z | GIT_INDEX_FILE="$GIT_DIR/index" GIT_DIR="$own" \\
    git check-attr -z --stdin filter ident working-tree-encoding >"$GIT_DIR/attributes"
}
look() {
  if [ -s "$GIT_DIR/doubtful" ]; then git update-index -z --force-remove --stdin <"$GIT_DIR/doubtful"; fi
  : >"$GIT_DIR/doubtful"
  git add --all --verbose >"$GIT_DIR/said" &
  failed=0
  refs=$(git --git-dir="$own" show-ref --head) || failed=$?
  head=
  read -r head <"$own/HEAD" || :
  wait $!
  [ "$failed" -le 1 ]
  # Whoever adds nothing has the tree of the last look.
  if [ -s "$GIT_DIR/said" ] || [ ! -f "$GIT_DIR/tree" ]; then
    rm -f "$GIT_DIR/tree"
    tree=$(git write-tree)
    printf '%s\\n' "$tree" >"$GIT_DIR/tree"
  else
    read -r tree <"$GIT_DIR/tree"
  fi
}
differ() {
  git diff-tree -r --no-renames "$1" "$2" >"$GIT_DIR/differences"
  cat "$GIT_DIR/differences"
  while read -r _ _ old new _; do printf '%s\\n%s\\n' "$old" "$new"; done <"$GIT_DIR/differences" |
    git cat-file --batch-check | {
      all=0
      while read -r id kind size; do
        if [ "$kind" = blob ] && [ "$size" -le ${MAX_KEPT_BYTES} ] && [ $((all + size)) -le ${MAX_BYTES} ]; then
          all=$((all + size))
          printf '%s\\n' "$id"
        fi
      done
    } | git cat-file --batch
}
compare() {
  if [ "$refs" != "$refs_before" ] || [ "$head" != "$head_before" ]; then
    echo moved
  else
    echo still
    if [ "$tree" != "$before" ]; then differ "$before" "$tree"; fi
  fi
}
while read -r order; do
  case $order in
  seed) seed ;;
  look)
    look
    before=$tree
    refs_before=$refs
    head_before=$head
    ;;
  differ)
    look
    compare
    ;;
  esac >"$GIT_DIR/$3"
  echo done
done
`;
