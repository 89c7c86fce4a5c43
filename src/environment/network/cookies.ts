/**
 * The cookies of one fetch: servers set one, redirect, and ask for it. Each goes back to the very host that set it, and
 * nothing else that it says of itself counts but `Secure` and its end.
 */
export interface CookieJar {
  /** Takes the values of `Set-Cookie` that came from `url`. */
  take(url: URL, values: readonly string[]): void;
  /** The value of `Cookie` for `url`; empty if there is none. */
  for(url: URL): string;
}

export function createCookieJar(): CookieJar {
  const hosts = new Map<string, Map<string, Cookie>>();
  return {
    take({ hostname }, values) {
      const cookies = hosts.get(hostname) ?? new Map<string, Cookie>();
      hosts.set(hostname, cookies);
      for (const { name, isOver, ...cookie } of values.map(parseCookie)) {
        if (isOver) cookies.delete(name);
        else cookies.set(name, cookie);
      }
    },
    for({ hostname, protocol }) {
      const cookies = [...(hosts.get(hostname)?.values() ?? [])];
      const sent = cookies.filter(({ isSecure }) => !isSecure || protocol === "https:");
      return sent.map(({ pair }) => pair).join("; ");
    },
  };
}

interface Cookie {
  /** `name=value` */
  readonly pair: string;
  readonly isSecure: boolean;
}

function parseCookie(value: string): Cookie & { readonly name: string; readonly isOver: boolean } {
  const [pair = "", ...attributes] = value.split(";").map((part) => part.trim());
  const [name = ""] = pair.split("=", 1);
  const attribute = (wanted: string) =>
    attributes.map((text) => text.split("=", 2)).findLast(([key]) => key!.trim().toLowerCase() === wanted);
  const maxAge = attribute("max-age")?.[1];
  const isPast = Date.parse(attribute("expires")?.[1] ?? "") <= Date.now();
  return {
    name,
    pair,
    isSecure: attribute("secure") !== undefined,
    isOver: pair === "" || (maxAge === undefined ? isPast : Number(maxAge) <= 0),
  };
}
