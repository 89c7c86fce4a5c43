const STREETS = [
  "Mill Lane",
  "Harbour Road",
  "Quarry Street",
  "Station Approach",
  "Orchard Walk",
  "Canal Side",
];
const SPECIES = [
  "Small-leaved lime",
  "London plane",
  "Silver birch",
  "Field maple",
  "Hornbeam",
  "Wild cherry",
];
const STORIES = 40;
const STORIES_AT_ONCE = 10;

/** A list too long to read: the tree register of a city, about 5 MB of HTML. */
export function largePage(): string {
  const rows: string[] = [];
  for (let tree = 1; tree <= 26_900; tree++) {
    const street = STREETS[tree % STREETS.length];
    const species = SPECIES[(tree * 7) % SPECIES.length];
    rows.push(
      `<tr class="register__row" data-tree="${tree}"><td><a href="/trees/${tree}">T-${String(tree).padStart(5, "0")}</a></td>` +
        `<td>${species}</td><td>${street} ${tree % 180}</td><td class="num">${1890 + (tree % 130)}</td>` +
        `<td>${tree % 9 === 0 ? "Crown lifted, deadwood removed" : "No work needed"}</td></tr>`,
    );
  }
  return (
    "<!DOCTYPE html><html lang=en><head><title>Tree register</title></head><body>" +
    "<nav><a href=/>Home</a> <a href=/council>Council</a></nav><main><h1>Tree register</h1>" +
    "<p>Every tree that the city looks after, with the year it was planted and what the last inspection asked for.</p>" +
    "<table><thead><tr><th>Number<th>Species<th>Place<th>Planted<th>Last inspection</thead><tbody>" +
    `${rows.join("\n")}</tbody></table></main><footer>&copy; City tree office</footer></body></html>`
  );
}

/** The next ten stories after number `after`, and the number to go on from, if there are more. */
export function storiesAfter(after: number): {
  stories: { id: number; title: string; text: string }[];
  next?: number;
} {
  const first = Number.isSafeInteger(after) && after >= 0 ? after + 1 : 1;
  const last = Math.min(first + STORIES_AT_ONCE - 1, STORIES);
  const stories = [];
  for (let id = first; id <= last; id++) {
    stories.push({
      id,
      title: `Letter ${id} from the lighthouse`,
      text: `Day ${id}: wind ${3 + (id % 6)}, the lamp was trimmed twice.`,
    });
  }
  return { stories, ...(last < STORIES && { next: last }) };
}
