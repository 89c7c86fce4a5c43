const MAX_COMPARED_LENGTH = 64;

/** Up to three of `names` that `name` may have meant, nearest first; upper and lower case count as the same. */
export function nearest(name: string, names: readonly string[]): string[] {
  if (name === "" || name.length > MAX_COMPARED_LENGTH) return [];
  return [...new Set(names)]
    .filter((candidate) => candidate.length <= MAX_COMPARED_LENGTH)
    .flatMap((candidate) => {
      const distance = distanceOf(name.toLowerCase(), candidate.toLowerCase());
      return distance === undefined ? [] : [{ candidate, distance }];
    })
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** `undefined`: too far apart to be the same word misspelt, or a part of it. */
function distanceOf(a: string, b: string): number | undefined {
  const edits = editDistance(a, b);
  const tolerated = Math.max(1, Math.floor(Math.max(a.length, b.length) / 3));
  if (edits <= tolerated) return edits;
  const isPart = Math.min(a.length, b.length) >= 3 && (a.includes(b) || b.includes(a));
  return isPart ? edits : undefined;
}

/** How many letters to insert, delete, replace, or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const edits = Math.min(replaced, row[j]! + 1, next[j - 1]! + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(isSwap ? Math.min(edits, before[j - 2]! + 1) : edits);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
