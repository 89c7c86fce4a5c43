// What SQLite is given.

import type sqlite from "node-sqlite3-wasm";

export type Database = InstanceType<typeof sqlite.Database>;

/** A text at one go: as a string it would be copied a character at a time, and only up to the first NUL. */
export function toBytes(text: string): Uint8Array {
  return Buffer.from(text);
}

export type PreparedStatement = InstanceType<typeof sqlite.Statement>;

/** Each is prepared when it is first used: much of the engine is compiled for that, and most searches add nothing. */
export interface Statements {
  readonly database: Database;
  of(sql: string): PreparedStatement;
  /** Before `database` is closed. */
  close(): void;
}

export function createStatements(database: Database): Statements {
  const prepared = new Map<string, PreparedStatement>();
  return {
    database,
    of(sql) {
      const statement = prepared.get(sql) ?? database.prepare(sql);
      prepared.set(sql, statement);
      return statement;
    },
    close() {
      for (const statement of prepared.values()) statement.finalize();
    },
  };
}
