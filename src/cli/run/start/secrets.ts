import type { Config } from "../../../config/config.ts";

/** Keys, and passwords in addresses. */
export function secretsIn({ environment, bus }: Config): readonly string[] {
  const known = Object.entries(environment()).flatMap(([name, value]) => {
    if (name.endsWith("_KEY")) return [value];
    const password = name.endsWith("_URL") && URL.canParse(value) ? new URL(value).password : "";
    return password === "" ? [] : [password];
  });
  const password = "address" in bus ? bus.address.password : undefined;
  return password === undefined ? known : [...known, password];
}
