// What can only be done now.

import type { ComponentChildren, JSX } from "preact";
import { isLive } from "../place.ts";

/** Nothing while the page shows the past, or is a file. */
export function LiveOnly({ children }: { readonly children: ComponentChildren }): JSX.Element | null {
  return isLive.value ? <>{children}</> : null;
}
