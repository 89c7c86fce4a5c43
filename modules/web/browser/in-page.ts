// What runs inside of a page, in a world that the page's own scripts cannot reach. It is source text, because it is sent
// there, and because nothing of a page's types is known here.

/**
 * Shows every screen of the page once, at most ten, then its end; resolves with the page's height. What waits to come into
 * view learns of it between one frame and the next, so two are waited for; a busy machine takes its time for them.
 */
export const SCROLL = `async function () {
  const root = document.scrollingElement ?? document.documentElement;
  const paint = () => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); setTimeout(resolve, 1000); });
  const show = async (top) => { scrollTo({ top, behavior: "instant" }); await paint(); };
  for (let screen = 1; screen <= 10 && screen * innerHeight < root.scrollHeight; screen++) {
    await show(screen * innerHeight);
  }
  await show(root.scrollHeight);
  return root.scrollHeight;
}`;

/** Lists that show only what is on the screen get back to their beginning. */
export const SCROLL_BACK = `async function () {
  scrollTo({ top: 0, behavior: "instant" });
  await new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); setTimeout(resolve, 200); });
}`;

/**
 * Copies the page as a reader sees it: shadow roots in place of their hosts' children, no scripts and styles, and in place
 * of each frame a comment with its number. Returns the page's address, the status it was answered with, the HTML, how many
 * frames it has, and whether `limit` characters were not enough. The copy is made in a document where nothing loads or runs, and without
 * recursion, because pages can be deep.
 */
export const COPY = `function (limit, isFrame) {
  const LEFT_OUT = new Set(["style", "noscript", "template"]);
  const inert = document.implementation.createHTMLDocument("");
  const into = inert.createElement("div");
  const frames = (globalThis.frameElements = []);
  const open = [{ node: isFrame ? document.body ?? document.documentElement : document.documentElement, parent: into }];
  let left = limit;

  const isShown = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width >= 20 && height >= 20 && element.checkVisibility({ visibilityProperty: true });
  };
  const copyElement = (node) => {
    const name = node.localName;
    if (name === "frameset") return inert.createElement(node.parentNode === document.documentElement && !isFrame ? "body" : "div");
    if (name === "body" && isFrame) return inert.createElement("div");
    const copy = inert.importNode(node, false);
    for (const { value } of copy.attributes) left -= value.length;
    if (isFrame) {
      for (const name of ["href", "src"]) {
        const link = copy.getAttribute(name);
        if (link && !link.startsWith("#") && URL.canParse(link, document.baseURI)) {
          copy.setAttribute(name, new URL(link, document.baseURI).href);
        }
      }
    }
    return copy;
  };
  const childrenOf = (node) => {
    if (node.shadowRoot) return node.shadowRoot.childNodes;
    const assigned = node.localName === "slot" ? node.assignedNodes() : [];
    return assigned.length > 0 ? assigned : node.childNodes;
  };

  while (open.length > 0 && left > 0) {
    const { node, parent } = open.pop();
    const name = node.localName;
    if (node.nodeType === Node.TEXT_NODE || node.nodeType === Node.CDATA_SECTION_NODE) {
      parent.append(inert.createTextNode(node.data.slice(0, left)));
      left -= node.data.length;
    } else if (name === "iframe" || name === "frame") {
      if (!isShown(node)) continue;
      parent.append(inert.createComment(String(frames.length)));
      frames.push(node);
    } else if (node.nodeType === Node.ELEMENT_NODE && !LEFT_OUT.has(name)) {
      if (name === "script" && node.type !== "application/ld+json") continue;
      left -= 2 * name.length + 5;
      let target = parent;
      if (name !== "slot") parent.append((target = copyElement(node)));
      const children = childrenOf(node);
      for (let at = children.length - 1; at >= 0; at--) open.push({ node: children[at], parent: target });
    }
  }
  const [answer] = performance.getEntriesByType("navigation");
  const status = answer?.responseStatus ?? 0;
  return { url: location.href, status, html: into.innerHTML, frames: frames.length, isCut: left <= 0 };
}`;

/** The element of the frame at `index` of those that COPY found. */
export const FRAME_AT = "function (index) { return globalThis.frameElements[index]; }";

export const NOTHING = "function () {}";
