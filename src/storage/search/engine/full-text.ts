// The index in a file, or in memory, by SQLite and its full-text search. It keeps words and the numbers of where they are: no text.

import sqlite from "node-sqlite3-wasm";
import { isAscii } from "node:buffer";
import { closeSync, fstatSync, lstatSync, openSync, readSync, rmSync } from "node:fs";
import type { IndexQuery, Mark, Portion, SearchReply } from "../order.ts";
import { find } from "./find.ts";
import { createStatements, toBytes, type Database, type Statements } from "./values.ts";
import { toIndexed } from "./words.ts";

/** Everything throws what SQLite says. */
export interface FullText {
  /** How far it is. */
  upTo(): Mark;
  /** False if it holds what is forgotten; nothing is added then. */
  add(portion: Portion): boolean;
  find(query: IndexQuery): NonNullable<SearchReply["hits"]>;
  /** Keeps what was added. */
  close(): void;
  /** Without keeping anything. Never throws. */
  abandon(): void;
}

/** Those of another one are not read. */
const FORMAT = 1;
/** Documents that are kept at once: each time takes some milliseconds. */
const MAX_UNKEPT = 20_000;
/** Bytes of a page, and of what is in one of those that hold words: so large they are written faster, and read as fast. */
const PAGE = 16_384;
const CACHED_KB = 8_000;
const LEAF = 16_000;
/** Bytes of words that are gathered before they are written. */
const GATHERED = 16_000_000;

const TABLES = `
  create table log(id text, seq integer, print text);
  create table document(seq integer primary key, at real, facets text);
  create virtual table word using fts5(text, content='', tokenize='ascii');
  insert into word(word, rank) values('hashsize', ${GATHERED}), ('crisismerge', 1000), ('automerge', 0), ('pgsz', ${LEAF});
  pragma user_version = ${FORMAT};
`;

/** `undefined` if there is none, or none of this log: what is there has to go. */
export function openKept(file: string, log: string): FullText | undefined {
  // Whoever was killed at it leaves this behind, and it keeps out everybody.
  rmSync(`${file}.lock`, { recursive: true, force: true });
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  return using(file, (database) => {
    // What a killed one had begun to write is taken back with the first look at it.
    const { id, seq, print } = database.get("select id, seq, print from log") ?? {};
    if (id !== log || typeof print !== "string" || !isWhole(file)) return undefined;
    return createFullText(database, { seq: Number(seq), print });
  });
}

/** An empty one. `file`: where there is none; absent: in memory. */
export function openEmpty(log: string, file = ":memory:"): FullText {
  return using(file, (database) => {
    database.exec(`pragma page_size = ${PAGE}; begin; ${TABLES}`);
    database.run("insert into log values(?, 0, '')", [log]);
    database.exec("commit");
    return createFullText(database, { seq: 0, print: "" });
  });
}

function using<T>(file: string, use: (database: Database) => T): T {
  const database = new sqlite.Database(file);
  let made: T | undefined;
  try {
    // To lock is to make a folder, and nobody else is here: it is locked once.
    database.exec("pragma locking_mode = exclusive; pragma trusted_schema = off");
    database.exec(`pragma cache_size = -${CACHED_KB}; pragma synchronous = normal`);
    return (made = use(database));
  } finally {
    if (made === undefined) database.close();
  }
}

/**
 * Is it of this format, and as long as it says? What is cut off is missed by SQLite when it is asked for, which may be never.
 *
 * @see https://www.sqlite.org/fileformat.html#the_database_header
 */
function isWhole(file: string): boolean {
  const header = Buffer.alloc(100);
  const opened = openSync(file, "r");
  try {
    readSync(opened, header);
    const pages = header.readUInt32BE(28);
    return header.readUInt32BE(60) === FORMAT && fstatSync(opened).size === pages * PAGE;
  } finally {
    closeSync(opened);
  }
}

function createFullText(database: Database, kept: Mark): FullText {
  const statements = createStatements(database);
  const documents = createDocuments(statements);
  let upTo = kept;
  const keep = (): void => {
    if (!database.inTransaction) return;
    documents.write();
    statements.of("update log set seq = ?, print = ?").run([upTo.seq, upTo.print]);
    database.exec("commit");
  };
  const abandon = (): void => {
    try {
      statements.close();
      database.close();
    } catch {
      // It is damaged, or its disk is: it is gone all the same.
    }
  };
  return {
    upTo: () => upTo,
    add({ seqs, times, facets, lengths, texts, forgotten, upTo: next }) {
      if (forgotten.some(documents.has)) return false;
      if (!database.inTransaction) database.exec("begin");
      const words = statements.of("insert into word(rowid, text) values(?, cast(? as text))");
      let start = 0;
      for (const [index, seq] of seqs.entries()) {
        const end = start + lengths[index]!;
        words.run([seq, toIndexedBytes(texts.subarray(start, end))]);
        documents.add(seq, [times[index]!, facets[index]!]);
        start = end + 1;
      }
      upTo = next;
      if (documents.unwritten() >= MAX_UNKEPT) keep();
      return true;
    },
    find(query) {
      keep();
      mergeFromNowOn(database);
      return find(statements, query);
    },
    close() {
      keep();
      abandon();
    },
    abandon,
  };
}

/** What is not words. To write it has the words written as well that are gathered so far: it is done for many at once. */
function createDocuments(statements: Statements) {
  const gathered = new Map<number, readonly [at: number, facets: string]>();
  return {
    add: (seq: number, document: readonly [at: number, facets: string]): void =>
      void gathered.set(seq, document),
    has: (seq: number): boolean =>
      gathered.has(seq) || statements.of("select 1 from document where seq = ?").get([seq]) !== null,
    unwritten: (): number => gathered.size,
    write(): void {
      statements
        .of("insert into document select key, value ->> 0, value ->> 1 from json_each(?)")
        .run([toBytes(JSON.stringify(Object.fromEntries(gathered)))]);
      gathered.clear();
    },
  };
}

/** What is built at one go is faster built, and found as fast, without being merged; what comes in later, a little at a time, is. */
function mergeFromNowOn(database: Database): void {
  if (database.get("select v from word_config where k = 'automerge'")?.["v"] === 0)
    database.exec("insert into word(word, rank) values('automerge', 4)");
}

/** Most texts are as they have to be, and need not become strings for that. */
function toIndexedBytes(text: Uint8Array): Uint8Array {
  return isAscii(text)
    ? text
    : toBytes(toIndexed(Buffer.from(text.buffer, text.byteOffset, text.length).toString()));
}
