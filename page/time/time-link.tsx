// A time that leads there.

import type { JSX } from "preact";
import { isFile } from "../connection/record.ts";
import { moment } from "../parts/numbers.ts";
import { addressOf, place } from "../place.ts";

/** @param at ISO 8601 */
export function TimeLink({ at }: { readonly at: string }): JSX.Element {
  if (isFile) return <time dateTime={at}>{moment(at)}</time>;
  return (
    <a class="time-link" href={addressOf(place.value, at)} title="Show everything as it was then">
      <time dateTime={at}>{moment(at)}</time>
    </a>
  );
}
