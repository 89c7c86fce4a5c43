// Search in a long-term memory of 100,000 entries: what a query takes beside reading everything, and what its index costs.

import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { figure, load, median, quantile, report, round, temporaryFolder } from "./bench.mjs";

const { openSearch } = await load("src/storage/search/open.js");
const { linesIn, fromLine, toLine } = await load("src/storage/folder/line.js");

const ENTRIES = 100_000;
const LENGTH = 500;
const QUERIES = 400;
const SCANS = 12;
/** Bytes that are read at once. */
const CHUNK = 262_144;
/** Every so many events it is known where the next one begins, as a reader of segments knows it. */
const LANDMARK = 1_000;
const STARTED = Date.parse("2026-01-01T08:00:00.000Z");

const COMMON =
  "the of to and a in is it that for was on you are with as at be this have from or had by not but what all were when we there can an your which said if will each about how up out them then she many some so these would other into has more her two like him see time could no make than first been its who now people my made over did down only way find use may water long little very after words called just where most know".split(
    " ",
  );
const SYLLABLES =
  "ka lo mi ter an pro ver est ing or de con ra ti sul men par ne qui sto bel fra go hen".split(" ");

let state = 17;
/** From 0 to 1, the same in every run. */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** The commonest first, as often as words of a language are (Zipf). */
const words = [...COMMON];
for (const known = new Set(words); words.length < 40_000;) {
  const word = Array.from({ length: 2 + random() * 3 }, () => SYLLABLES[Math.floor(random() * 24)]).join("");
  if (!known.has(word)) words.push(word);
  known.add(word);
}
let total = 0;
const upTo = words.map((_, rank) => (total += 1 / (rank + 2.7)));

function word() {
  const drawn = random() * total;
  let [low, high] = [0, words.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((upTo[middle] ?? 0) < drawn) low = middle + 1;
    else high = middle;
  }
  return words[low] ?? "";
}

/** @param {number} length in characters */
function prose(length) {
  let text = word();
  while (text.length < length) text += (random() < 0.1 ? ", " : random() < 0.05 ? ". " : " ") + word();
  return text.slice(0, length);
}

/** @param {number} seq */
function entry(seq) {
  const at = new Date(STARTED + seq * 60_000).toISOString();
  const speaker = String(seq % 7);
  return {
    ...{ seq, epoch: 1, at, kind: "entry", mail: seq - 1, from: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff" },
    ...{
      by: "scribe",
      raw: prose(LENGTH),
      summary: prose(80),
      role: seq % 2 ? "user" : "assistant",
      speaker,
    },
    ...{ thread: `0+${speaker}`, said: at, tags: { project: `p${seq % 11}` } },
    of: { log: "16fd2706-8baf-433b-82eb-8c7fada847da", message: `0>${speaker}#${seq}` },
    summarised: "model",
  };
}

/** Its events, and how they are found. @param {string} path */
async function writeLog(path) {
  /** @type {number[]} */
  const landmarks = [];
  await writeFile(
    path,
    (function* () {
      let offset = 0;
      for (let seq = 1; seq <= ENTRIES; seq++) {
        if ((seq - 1) % LANDMARK === 0) landmarks.push(offset);
        const line = toLine(entry(seq));
        offset += line.length;
        yield line;
      }
    })(),
  );
  return landmarks;
}

/** @param {string} path @param {readonly number[]} landmarks */
function openMemory(path, landmarks) {
  return {
    log: () => Promise.resolve("6f9619ff"),
    /** @param {number} from */
    async *events(from) {
      const file = await open(path, "r");
      try {
        const buffer = Buffer.alloc(CHUNK);
        let kept = 0;
        for (let offset = landmarks[Math.floor((from - 1) / LANDMARK)] ?? 0; ;) {
          const { bytesRead } = await file.read(buffer, kept, CHUNK - kept, offset);
          if (bytesRead === 0) return;
          offset += bytesRead;
          const bytes = buffer.subarray(0, kept + bytesRead);
          /** @type {any[]} */
          const events = [];
          for (const [line] of linesIn(bytes)) events.push(fromLine(line));
          kept = buffer.copy(buffer, 0, bytes.lastIndexOf("\n") + 1, bytes.length);
          for (const event of events) if (event.seq >= from) yield event;
        }
      } finally {
        await file.close();
      }
    },
  };
}

/** Words, or a question. */
const queries = Array.from({ length: QUERIES }, (_, index) => {
  const rare = Array.from({ length: 1 + (index % 4) }, () => words[Math.floor(80 + random() ** 2 * 20_000)]);
  if (index % 2 === 0) return rare.join(" ");
  return `what did ${word()} say about the ${rare.join(" and the ")} when we were at ${word()}?`;
});

/** @param {() => Promise<unknown>} work */
async function msOf(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** As whoever has no index would look. @param {ReturnType<typeof openMemory>} memory @param {string} query */
async function scan(memory, query) {
  const wanted = query.split(/\W+/u).filter(Boolean);
  const found = [];
  for await (const { seq, raw, summary } of memory.events(1)) {
    const text = `${raw}\n${summary}`.toLowerCase();
    const score = wanted.filter((part) => text.includes(part)).length;
    if (score > 0) found.push({ seq, score });
  }
  return found.sort((one, other) => other.score - one.score).slice(0, 10);
}

const folder = temporaryFolder();
const path = join(folder, "log.jsonl");
const memory = openMemory(path, await writeLog(path));
const read = async () => {
  for await (const { seq } of memory.events(1)) if (seq < 1) throw new Error("no number");
};
await read();
const readMs = median([await msOf(read), await msOf(read), await msOf(read)]);

const cache = join(folder, "cache");
let search = openSearch({ folder: cache, memory });
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const buildMs = await msOf(() => search.search({ text: "nothing", limit: 10 }));
delay.disable();
const delayMs = delay.percentile(99) / 1e6;

/** @type {number[]} */
const times = [];
for (const text of queries) times.push(await msOf(() => search.search({ text, limit: 10 })));
const rss = process.resourceUsage().maxRSS / 1_024;
await search.close();

/** With the start of the thread. @type {number[]} */
const openings = [];
for (let turn = 0; turn < 5; turn++) {
  search = openSearch({ folder: cache, memory });
  openings.push(await msOf(() => search.search({ text: "nothing", limit: 10 })));
  await search.close();
}
const openMs = median(openings);

/** @type {number[]} */
const scans = [];
for (const text of queries.slice(0, SCANS)) scans.push(await msOf(() => scan(memory, text)));
const [p50, p99] = [median(times), quantile(times, 0.99)];
const [scan50, scan99] = [median(scans), quantile(scans, 0.99)];
const name = `${ENTRIES.toLocaleString("en")} entries of ${LENGTH} bytes`;
report([
  figure("", `query in ${name}, p50`, `${round(p50)} ms`, {
    beside: `plain scan ${round(scan50)} ms: ${round(p50 / scan50, 3)}`,
    goal: "<= 1/10",
    met: p50 <= scan50 / 10,
  }),
  figure("", "query, p99", `${round(p99)} ms`, {
    beside: `plain scan ${round(scan99)} ms: ${round(p99 / scan99, 3)}`,
    goal: "<= 1/3",
    met: p99 <= scan99 / 3,
  }),
  figure("", "index built, from the log", `${round(buildMs)} ms`, {
    beside: `read and parsed ${round(readMs)} ms: ${round(buildMs / readMs)}`,
    goal: "<= 5",
    met: buildMs <= readMs * 5,
  }),
  figure("", "first query where the index is there", `${round(openMs)} ms`, {
    beside: `built ${round(buildMs)} ms: ${round(openMs / buildMs, 3)}`,
    goal: "<= 1/20",
    met: openMs <= buildMs / 20,
  }),
  figure("", "main thread while it is built, p99", `${round(delayMs)} ms`, {
    beside: `longest ${round(delay.max / 1e6)} ms`,
    goal: "<= 20 ms",
    met: delayMs <= 20,
  }),
  figure("", "memory of the process, at most", `${round(rss, 0)} MB`, {
    goal: "<= 250 MB",
    met: rss <= 250,
  }),
]);
