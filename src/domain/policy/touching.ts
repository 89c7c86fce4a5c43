/** One thing outside its agent that a call is about to touch. */
export type Touching =
  /** As it was asked for: relative to the workspace, or absolute. */
  | { readonly kind: "read" | "write"; readonly path: string }
  | { readonly kind: "run"; readonly command: string }
  /** What the runtime fetches for the action. `isChosen`: a person did so in the settings, not the agent. */
  | { readonly kind: "net"; readonly url: string; readonly isChosen?: true }
  /** A host that what the action runs shall reach, such as `example.com` or `example.com:8080`. */
  | { readonly kind: "net"; readonly host: string }
  /** An agent id, `0` for Control. */
  | { readonly kind: "send"; readonly to: string };
