/** Reads the XML that reports use, and refuses what isn't well-formed. */

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** The root element. @throws Error for what isn't well-formed. */
export function readXml(xml: string): XmlElement {
  // What XML 1.0 allows in a document.
  if (/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(xml)) {
    throw new Error("a character that XML can't hold");
  }
  const body = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/, "");
  const tokens = /<(\/?)([\w.-]+)((?:\s+[\w.-]+="[^"<]*")*)\s*(\/?)>|([^<]+)|(<)/g;
  const root = { name: "", attributes: {}, children: [] as (XmlElement | string)[] };
  const open = [root];
  for (const [, isEnd, name = "", attributes = "", isEmpty, text, stray] of body.matchAll(tokens)) {
    const parent = open.at(-1);
    if (parent === undefined || stray !== undefined) throw new Error("a stray <");
    if (text !== undefined) parent.children.push(decoded(text));
    else if (isEnd === "/") {
      if (parent.name !== name) throw new Error(`</${name}> ends <${parent.name}>`);
      open.pop();
    } else {
      const element = { name, attributes: attributesIn(attributes), children: [] };
      parent.children.push(element);
      if (isEmpty !== "/") open.push(element);
    }
  }
  const [element, ...rest] = root.children.filter((child) => child !== "\n");
  if (open.length === 1 && typeof element === "object" && rest.length === 0) return element;
  throw new Error("no single root");
}

export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return (element?.children ?? []).filter(
    (child): child is XmlElement => typeof child === "object" && child.name === name,
  );
}

export function textOf(element: XmlElement): string {
  return element.children.map((child) => (typeof child === "string" ? child : "")).join("");
}

function attributesIn(text: string): Readonly<Record<string, string>> {
  const attributes: Record<string, string> = {};
  for (const [, name = "", value = ""] of text.matchAll(/([\w.-]+)="([^"]*)"/g)) {
    if (Object.hasOwn(attributes, name)) throw new Error(`${name} twice`);
    attributes[name] = decoded(value);
  }
  return attributes;
}

function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|(\w+))?;?/g, (reference, code, name) => {
    const character = code === undefined ? entities[name] : String.fromCodePoint(Number(code));
    if (character !== undefined && reference.endsWith(";")) return character;
    throw new Error(`${reference} stands for nothing`);
  });
}
