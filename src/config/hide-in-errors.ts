import { createRedactor } from "../base/redaction/redactor.ts";
import type { Config } from "./config.ts";

/** Does `work`; what it rejects with says nothing that nobody may be shown, neither in its words nor in lines of code. */
export async function hideInErrors<T>(
  { secrets }: Pick<Config, "secrets">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { text } = createRedactor(secrets());
    for (const name of ["message", "stack", "excerpt"]) {
      const said: unknown = Reflect.get(error, name);
      if (typeof said === "string") Reflect.set(error, name, text(said));
    }
    throw error;
  }
}
