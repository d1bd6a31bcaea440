// HTML that the service made of Markdown, taken over by a list of what may be in it: the second look at hostile text.

const TAGS = new Set(
  "P BR HR EM STRONG S CODE PRE BLOCKQUOTE UL OL LI H4 H5 H6 TABLE THEAD TBODY TR TH TD A IMG".split(" "),
);
const WEB = /^(https?:\/\/|mailto:)/i;
const IMAGE = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/;

const lawful = (node) => TAGS.has(node.tagName) && (node.tagName !== "IMG" || IMAGE.test(node.getAttribute("src") ?? ""));

const copy = (from, to) => {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) to.append(node.data);
    else if (node.nodeType === Node.ELEMENT_NODE && lawful(node)) {
      const made = document.createElement(node.tagName);
      if (made.tagName === "OL" && /^\d{1,9}$/.test(node.getAttribute("start") ?? "")) made.start = Number(node.getAttribute("start"));
      if (made.tagName === "A" && WEB.test(node.getAttribute("href") ?? "")) {
        made.href = node.getAttribute("href");
        made.title = made.href;
        made.target = "_blank";
        made.rel = "noopener noreferrer nofollow";
      }
      if (made.tagName === "IMG") {
        made.alt = node.getAttribute("alt") ?? "";
        made.src = node.getAttribute("src");
      }
      if (made.tagName === "PRE" || made.tagName === "TABLE") {
        const frame = document.createElement("div");
        frame.className = "scroll";
        frame.tabIndex = 0;
        frame.setAttribute("role", "group");
        frame.setAttribute("aria-label", made.tagName === "PRE" ? "code" : "table");
        frame.append(made);
        to.append(frame);
      } else to.append(made);
      copy(node, made);
    } else copy(node, to);
  }
};

export const fill = (element, html) => {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  element.replaceChildren();
  copy(parsed.body, element);
};
