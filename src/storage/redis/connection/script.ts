/** A Lua script. Redis runs it whole or not at all, and nothing else meanwhile. */
export interface LuaScript {
  readonly name: string;
  /** How many of its arguments are keys. */
  readonly keys: number;
  readonly lua: string;
}
