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

/** A page after its scripts have run. */
export interface Rendered {
  /** Where the page is now: scripts may have moved it. */
  readonly url: string;
  /** The page as it stands, with the content of its frames and open shadow roots in place. */
  readonly html: string;
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
