// Addresses of a page, as somebody elsewhere can use them.

const FOLLOWED = new Set(["http:", "https:", "mailto:", "tel:", "ftp:"]);

export interface Place {
  /** Of the page, which may differ from what its links are relative to. */
  readonly url: string;
  readonly base: string;
}

/** Relative to what the page says in its first `<base href>`. */
export function placeOf(url: string, baseHref: string | null | undefined): Place {
  return { url: withoutFragment(url), base: resolve(baseHref ?? "", url) ?? url };
}

/** `undefined` if it leads nowhere for a reader: to a script, to inline content, to a place of the same page. */
export function linkTarget(href: string | null, { url, base }: Place): string | undefined {
  const target = href?.trim() ? resolve(href.trim(), base) : undefined;
  if (target === undefined || !FOLLOWED.has(target.slice(0, target.indexOf(":") + 1))) return undefined;
  const fragment = target.indexOf("#");
  const isWithin =
    fragment >= 0 && withoutFragment(target) === url && !/^[/!]/.test(target.slice(fragment + 1));
  return isWithin ? undefined : target;
}

function resolve(href: string, base: string): string | undefined {
  return URL.canParse(href, base) ? new URL(href, base).href : undefined;
}

function withoutFragment(url: string): string {
  return url.split("#", 1)[0]!;
}
