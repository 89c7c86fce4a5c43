import type { CDPSession } from "puppeteer";

/** A world of our own in one frame: its page cannot see it, nor change what runs in it. */
export interface World {
  /** Calls the function that `source` is, and waits for what it promises, which has to be JSON. */
  call(source: string, ...args: readonly unknown[]): Promise<unknown>;
  /** As `call`, of a function that returns the element of a frame: the id of that frame, if there still is one. */
  frameOf(source: string, ...args: readonly unknown[]): Promise<string | undefined>;
}

/** Rejects if the frame is gone. A world ends when its frame goes on to another page. */
export async function enterWorld(session: CDPSession, frameId: string): Promise<World> {
  const world = { frameId, worldName: "legion" };
  const { executionContextId } = await session.send("Page.createIsolatedWorld", world);

  async function call(source: string, args: readonly unknown[], wanted: "value" | "object") {
    const { result, exceptionDetails } = await session.send("Runtime.callFunctionOn", {
      executionContextId,
      functionDeclaration: source,
      arguments: args.map((value) => ({ value })),
      awaitPromise: true,
      returnByValue: wanted === "value",
    });
    if (exceptionDetails) throw new Error(`in the page: ${exceptionDetails.exception?.description}`);
    return result;
  }
  return {
    call: async (source, ...args) => (await call(source, args, "value")).value as unknown,
    async frameOf(source, ...args) {
      const { objectId } = await call(source, args, "object");
      return objectId && (await session.send("DOM.describeNode", { objectId })).node.frameId;
    },
  };
}
