// What can only be done now.

import type { ComponentChildren, JSX } from "preact";
import { asOf } from "../place.ts";

/** Nothing while the page shows the past. */
export function LiveOnly({ children }: { readonly children: ComponentChildren }): JSX.Element | null {
  return asOf.value === undefined ? <>{children}</> : null;
}
