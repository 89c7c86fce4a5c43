// The way out to the web, as modules see it.

export interface WebRequest {
  readonly signal: AbortSignal;
  /** Default GET. */
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For everything, redirects included; default 20 s. */
  readonly timeoutMs?: number;
  /** Of the body, unpacked; a longer one fails. Default 5 MB. */
  readonly maxBytes?: number;
  /**
   * A host, or `host:port`, that a person named for just this: it may be one of a private network. Without a port it stands
   * for 80 and 443. A redirect to another place is not trusted.
   */
  readonly trusted?: string;
  /** Asked before a redirect is followed. Default: all are. */
  readonly permits?: (url: string) => boolean;
  /** Secrets that are meant for just this host, such as a service's own key; a request that holds another is refused. */
  readonly keys?: readonly string[];
}

export interface WebResponse {
  readonly status: number;
  /** After all redirects. */
  readonly url: string;
  /** Names are in lower case; `set-cookie` holds one cookie a line. Those that say how the body travelled are left out. */
  readonly headers: Readonly<Record<string, string>>;
  /** Unpacked. */
  readonly body: Uint8Array;
}

/** A request whose answer may go on for as long as it likes. */
export interface StreamRequest extends Pick<WebRequest, "headers" | "body" | "trusted" | "keys"> {
  /** Ends it, also while its answer is read. */
  readonly signal: AbortSignal;
  readonly method: "GET" | "POST" | "DELETE";
  /** Until the connection stands. */
  readonly connectMs: number;
  /** From then on between two signs of life; default any. */
  readonly silenceMs?: number;
}

export interface StreamedResponse extends Pick<WebResponse, "status" | "headers"> {
  /**
   * Unpacked, as it comes, however much that is. It fails as `Network.open` does. Whoever does not read it to its end cancels it, or
   * aborts the request.
   */
  readonly body: ReadableStream<Uint8Array>;
}

/** The only way out to the web: public addresses over http and https, and those that `web.allowPrivate` lists. */
export interface Network {
  /**
   * Any status is a response. Rejects with one sentence for whoever asked for `url`: REFUSED if that or a redirect may not be
   * asked for, NETWORK if it is out of reach, too slow or too long; or with the reason of `signal`.
   */
  fetch(url: string, request: WebRequest): Promise<WebResponse>;
  /** By the same rules a request whose answer is read as it comes. No redirect is followed: it is a response like any other. */
  open(url: string, request: StreamRequest): Promise<StreamedResponse>;
  /** Opens the same way for a program that makes requests of its own, such as a browser. */
  openProxy(options: ProxyLimits): Promise<NetworkProxy>;
}

export interface ProxyLimits {
  readonly maxBytes: number;
  /**
   * Only these: `example.com` on its usual ports, `example.com:8443`, `*.example.com` for all below it, `*` for all. Private
   * addresses stay refused. Absent: every public one.
   */
  readonly hosts?: readonly string[];
  /** Asked before each connection, with its host and port as a URL. Default: all are made. */
  readonly permits?: (url: string) => boolean;
  /** Path of a Unix socket to listen on in place of a port. */
  readonly socket?: string;
}

export interface NetworkProxy {
  /** `http://127.0.0.1:<port>`; on a socket `http://127.0.0.1`. */
  readonly url: string;
  /** It serves only who says this (`Proxy-Authorization: Basic`): other programs of this machine find the port, too. */
  readonly credential: { readonly username: string; readonly password: string };
  /** A URL that the proxy answers itself, with 204: a browser asked for it once has the credential for all that follows. */
  readonly greeting: string;
  /** Why each request that was not let through was refused, oldest first; at most 20. */
  refused(): readonly string[];
  /** Ends all connections. */
  close(): Promise<void>;
}
