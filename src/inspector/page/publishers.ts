/** The publishers of a world: their keys and surfaces, and new ones. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { printable } from "../../base/text.ts";
import type { Publisher, Surface } from "../../world/accounts/account.ts";
import type { Listing } from "./contract.ts";
import { useLoaded } from "./loading.ts";
import {
  ActionButton,
  ActionForm,
  CopyButton,
  type DrawerProps,
  Input,
  link,
  type Part,
  Search,
  type Values,
  Waiting,
} from "./parts.ts";
import { type Method, Refusal, type Source } from "./source.ts";

const PAGE = 20;

export function Publishers({ source, version }: DrawerProps): Part {
  const [offset, setOffset] = useState(0);
  const [wanted, want] = useState("");
  const page = useLoaded(
    () => source.get<Listing>(`publishers?offset=${offset}&limit=${PAGE}`),
    [source, offset],
    version,
  );
  /** The one whose id was typed or that has signed up; it may stand on another page. */
  const one = useLoaded(() => findOne(source, wanted), [source, wanted], version);
  const { publishers = [], total = 0 } = page.value ?? {};
  const isListed = ({ id, name }: Publisher): boolean =>
    `${id} ${name}`.toLowerCase().includes(wanted.toLowerCase());
  const listed = publishers.filter((each) => isListed(each) && each.id !== one.value?.id);
  const shown = one.value === undefined ? listed : [one.value, ...listed];
  const send = async (method: Method, path: string, body: object): Promise<unknown> => {
    const reply = await source.send(method, path, body);
    page.reload();
    one.reload();
    return reply;
  };
  const signUp = async ({ name = "", surfaces = "" }: Values): Promise<void> => {
    const names = surfaces
      .split(",")
      .map((each) => each.trim())
      .filter(Boolean);
    const given = { ...(name && { name }), ...(names.length > 0 && { surfaces: names }) };
    want(((await send("POST", "publishers", given)) as Publisher).id);
  };
  const step = (to: number, label: string): Part =>
    to >= 0 && to < total
      ? html`<button type="button" onClick=${() => setOffset(to)}>${label}</button>`
      : null;
  return html`
    <${Search} label="Search this page, or an id of any publisher" value=${wanted} onSearch=${want} />
    <${Waiting} loaded=${page} />
    ${shown.map((each) => html`<${Details} key=${each.id} ...${{ source, send }} publisher=${each} isOpen=${shown.length === 1} />`)}
    ${
      !source.isFile &&
      html`<p class="buttons">${step(offset - PAGE, "‹ earlier")}
        <span class="quiet">${offset + 1} to ${Math.min(offset + PAGE, total)} of ${total}</span> ${step(offset + PAGE, "later ›")}</p>
      <details><summary>Sign up a new publisher</summary>
        <${ActionForm} submit="Sign up" act=${signUp}>
          <${Input} label="Name" name="name" placeholder="New publisher" />
          <${Input} label="Names of surfaces, with commas" name="surfaces" placeholder="Main" />
        </${ActionForm}></details>`
    }`;
}

async function findOne(source: Source, id: string): Promise<Publisher | undefined> {
  if (source.isFile || !/^pub_\w+$/.test(id)) return undefined;
  try {
    return await source.get<Publisher>(`publishers/${id}`);
  } catch (error) {
    // Not typed to its end yet.
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function Details(props: {
  readonly source: Source;
  readonly publisher: Publisher;
  readonly isOpen: boolean;
  send(method: Method, path: string, body: object): Promise<unknown>;
}): Part {
  const { source, publisher, isOpen, send } = props;
  const { id, name, apiKey, surfaces } = publisher;
  const path = `publishers/${encodeURIComponent(id)}`;
  const toggle = ({ id: surface, status }: Surface): Part => {
    const next = status === "active" ? "paused" : "active";
    return html`<${ActionButton} label=${next === "active" ? "Activate" : "Pause"}
      act=${() => send("PATCH", `${path}/surfaces/${encodeURIComponent(surface)}`, { status: next })} />`;
  };
  return html`<details class="point" open=${isOpen}>
    <summary><b>${printable(name)}</b> <code>${id}</code></summary>
    ${
      !source.isFile &&
      html`<p class="buttons"><code>${apiKey}</code>
      <${CopyButton} label="Copy the key" text=${apiKey} />
      <${ActionButton} label="New key" question="Replace the key?" act=${() => send("POST", `${path}/rotate-key`, {})} /></p>`
    }
    ${surfaces.map(
      (
        one,
      ) => html`<div class="surface" key=${one.id}><span>${printable(one.name)} <code>${one.id}</code></span>
        <span class=${one.status === "active" ? "quiet" : "not-active"}>${one.status}</span>
        <span class="quiet" title="CPM">₹${one.cpmRange.join(" – ")}</span>${!source.isFile && toggle(one)}</div>`,
    )}
    <p>${link({ text: id, show: undefined }, "Its exchanges")}</p>
  </details>`;
}
