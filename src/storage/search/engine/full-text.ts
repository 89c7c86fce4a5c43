// The index in a file, or in memory, by SQLite and its full-text search. It keeps words and the numbers of where they are: no text.

import sqlite from "node-sqlite3-wasm";
import { lstatSync, rmSync } from "node:fs";
import type { Document, IndexQuery, Mark, Portion, SearchReply } from "../order.ts";
import { createFinder } from "./find.ts";
import { exact, inLines, toBytes, type Database } from "./values.ts";
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
const IN_MEMORY = ":memory:";
/** Documents that are kept at once: each time takes some milliseconds. */
const MAX_UNKEPT = 20_000;
/** Bytes of words that are gathered before they are written. */
const GATHERED = 16_000_000;

const TABLES = `
  create table log(id text, seq integer, print text);
  create table document(seq integer primary key, at real, role text, speaker text, tags text);
  create virtual table word using fts5(text, content='', tokenize='ascii');
  insert into word(word, rank) values('hashsize', ${GATHERED}), ('crisismerge', 1000), ('automerge', 0);
  pragma user_version = ${FORMAT};
`;

/** `undefined` if there is none, or none of this log: what is there has to go. */
export function openKept(file: string, log: string): FullText | undefined {
  // Whoever was killed at it leaves this behind, and it keeps out everybody.
  rmSync(`${file}.lock`, { recursive: true, force: true });
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  return using(file, (database) => {
    if (Number(valueOf(database, "pragma user_version")) !== FORMAT) return undefined;
    if (!isWhole(database, file) || valueOf(database, "select id from log") !== log) return undefined;
    return createFullText(database);
  });
}

/** An empty one. `file`: where there is none; absent: in memory. */
export function openEmpty(log: string, file = IN_MEMORY): FullText {
  return using(file, (database) => {
    database.exec("begin");
    database.exec(TABLES);
    database.run("insert into log values(?, 0, '')", [log]);
    database.exec("commit");
    return createFullText(database);
  });
}

function using<T>(file: string, use: (database: Database) => T): T {
  const database = new sqlite.Database(file);
  let made: T | undefined;
  try {
    database.exec("pragma trusted_schema = off; pragma page_size = 8192; pragma cache_size = -8000");
    database.exec("pragma journal_mode = delete; pragma synchronous = normal");
    return (made = use(database));
  } finally {
    if (made === undefined) database.close();
  }
}

/** What is cut off is missed by SQLite when it is asked for, which may be never. */
function isWhole(database: Database, file: string): boolean {
  const pages = Number(valueOf(database, "pragma page_count"));
  return lstatSync(file).size === pages * Number(valueOf(database, "pragma page_size"));
}

function valueOf(database: Database, sql: string) {
  return Object.values(database.get(sql) ?? {})[0];
}

function createFullText(database: Database): FullText {
  const prepared = {
    words: database.prepare("insert into word(rowid, text) values(?, cast(? as text))"),
    documents: database.prepare(
      `insert into document
        select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 from json_each(?)`,
    ),
    moved: database.prepare("update log set seq = ?, print = ?"),
    has: database.prepare("select 1 from document where seq = ?"),
  };
  const finder = createFinder(database);
  let upTo: Mark = {
    seq: Number(valueOf(database, "select seq from log")),
    print: `${valueOf(database, "select print from log")}`,
  };
  /** Whose words are added and who are not. To add many rows to another table has the words written that are gathered so far. */
  let unkept: Document[] = [];
  const keep = (): void => {
    if (!database.inTransaction) return;
    prepared.documents.run([toBytes(JSON.stringify(unkept.map(rowOf)))]);
    prepared.moved.run([upTo.seq, upTo.print]);
    database.exec("commit");
    unkept = [];
  };
  const has = (seq: number): boolean =>
    prepared.has.get([seq]) !== null || unkept.some((document) => document.seq === seq);
  const abandon = (): void => {
    try {
      finder.close();
      for (const statement of Object.values(prepared)) statement.finalize();
      database.close();
    } catch {
      // It is damaged, or its disk is: it is gone all the same.
    }
  };
  return {
    upTo: () => upTo,
    add({ documents, forgotten, upTo: next }) {
      if (forgotten.some(has)) return false;
      if (!database.inTransaction) database.exec("begin");
      for (const document of documents) {
        prepared.words.run([document.seq, toBytes(toIndexed(document.text))]);
        unkept.push({ ...document, text: "" });
      }
      upTo = next;
      if (unkept.length >= MAX_UNKEPT) keep();
      return true;
    },
    find(query) {
      keep();
      mergeFromNowOn(database);
      return finder.find(query);
    },
    close() {
      keep();
      abandon();
    },
    abandon,
  };
}

/** What is built at one go is faster found than merged on the way; what comes in later, a little at a time, is merged. */
function mergeFromNowOn(database: Database): void {
  if (valueOf(database, "select v from word_config where k = 'automerge'") === 0)
    database.exec("insert into word(word, rank) values('automerge', 4)");
}

function rowOf({ seq, at, role, speaker, tags }: Document): readonly unknown[] {
  return [seq, at, exact(role), exact(speaker), tags && inLines(tags)];
}
