/** Of `.ai-legion`: what belongs to the legions of that very folder, and not to what people wrote in it. */
export const STATE_NAMES: readonly string[] =
  "agents arrivals cache corrupt homes legion.sock lock logs memory runs set-aside tmp workspace-id workspaces".split(
    " ",
  );
