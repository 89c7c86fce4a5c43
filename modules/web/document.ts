// What the stages of reading a page hand on.

/** One document as its server sent it. */
export interface Fetched {
  /** After all redirects. */
  readonly url: string;
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** May whoever reads go to this URL? */
export type Permits = (url: string) => boolean;

/** A document as a browser shows it, be it the page or in one of its frames. */
export interface Framed {
  /** Where it is now: scripts may have moved it. */
  readonly url: string;
  /** As it stands, with the content of open shadow roots in place. */
  readonly html: string;
  /** What the comments `<!--0-->`, `<!--1-->`... in `html` stand for; `undefined` is left out. */
  readonly frames: readonly (Framed | undefined)[];
}

/** A page after its scripts have run. */
export interface Rendered extends Framed {
  /** What a reader should know, such as that the page was still loading; one sentence each, may be empty. */
  readonly remarks: readonly string[];
}

/** What a reader gets of a document. */
export interface Extracted {
  /** Of the page; may be empty. */
  readonly title: string;
  /** Markdown; JSON, XML and other plain text as they are. */
  readonly text: string;
  /** One sentence each, such as that only the main content is shown; may be empty. */
  readonly remarks: readonly string[];
}
