import { codeOf, LegionError, messageOf } from "../errors.ts";

/** Runs `work`; a missing file gives `missing` where one is given, every other failure a STORAGE error. */
export async function storage<T>(path: string, work: () => Promise<T>, ...missing: [T] | []): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (missing.length === 1 && codeOf(error) === "ENOENT") return missing[0];
    throw storageError(path, error);
  }
}

export function storageError(path: string, error: unknown): LegionError {
  return new LegionError("STORAGE", `${path}: ${messageOf(error)}`, { cause: error });
}
