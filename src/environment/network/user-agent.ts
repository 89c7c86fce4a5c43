import { packageVersion } from "../../base/package.ts";

/** How we tell servers who asks. Some answer only what calls itself a browser, all of which begin alike. */
export function userAgent(): string {
  return `Mozilla/5.0 (compatible; ai-legion/${packageVersion()})`;
}
