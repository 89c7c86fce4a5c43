import type { Host, NodeHost } from "./host.ts";

/**
 * State of a module that is not JSON: a cache, a connection. Returns an accessor that creates it at the first use for
 * each agent and gives the same one from then on. Close it with `host.onClose`.
 */
export function defineState<S>(create: (host: Host) => S): (host: Host) => S {
  return onePer(({ agent }) => agent, create);
}

/** As `defineState`, one for all agents of a process: a browser, a cache. Close it with `node.onClose`. */
export function defineShared<S>(
  create: (node: NodeHost, settings: Host["settings"]) => S,
): (host: Host) => S {
  return onePer(
    ({ node }) => node,
    ({ node, settings }) => create(node, settings),
  );
}

export function onePer<S>(ownerOf: (host: Host) => object, create: (host: Host) => S): (host: Host) => S {
  const states = new WeakMap<object, { readonly state: S }>();
  return (host) => {
    const owner = ownerOf(host);
    let made = states.get(owner);
    if (!made) states.set(owner, (made = { state: create(host) }));
    return made.state;
  };
}
