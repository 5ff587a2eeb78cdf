/** The publishers of a world: their keys and surfaces, and new ones. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { printable } from "../../base/text.ts";
import type { Publisher, Surface } from "../../world/accounts/account.ts";
import type { Listing } from "./contract.ts";
import { type Loaded, useLoaded } from "./loading.ts";
import {
  ActionButton,
  ActionForm,
  CopyButton,
  type DrawerProps,
  Input,
  link,
  type Part,
  type Values,
  Waiting,
} from "./parts.ts";
import type { Source } from "./source.ts";

const PAGE = 20;

export function Publishers({ source, version }: DrawerProps): Part {
  const [offset, setOffset] = useState(0);
  /** The one to show alone, by its id. */
  const [only, show] = useState("");
  const ask = async (): Promise<Listing> =>
    only === ""
      ? await source.get(`publishers?offset=${offset}&limit=${PAGE}`)
      : { publishers: [await source.get(`publishers/${encodeURIComponent(only)}`)], total: 1 };
  const page = useLoaded(ask, [source, offset, only], version);
  const { publishers = [], total = 0 } = page.value ?? {};
  const signUp = async ({ name = "" }: Values): Promise<void> => {
    const made = await source.send<Publisher>("POST", "publishers", name === "" ? {} : { name });
    show(made.id);
  };
  const step = (to: number, label: string): unknown =>
    to >= 0 &&
    to < total &&
    html`<button type="button" onClick=${() => setOffset(to)}>${label}</button>`;
  return html`
    ${
      !source.isFile &&
      html`<${ActionForm} submit="Show" act=${async ({ id = "" }: Values) => show(id)}>
        <${Input} label="Id of a publisher" name="id" placeholder="all" /></${ActionForm}>`
    }
    <${Waiting} loaded=${page} />
    ${publishers.map((each) => html`<${Details} key=${each.id} ...${{ source, page }} publisher=${each} isOpen=${only !== ""} />`)}
    ${
      !source.isFile &&
      html`${
        only === "" &&
        html`<p class="buttons">${step(offset - PAGE, "‹ earlier")}
          <span class="quiet">${offset + 1} to ${offset + publishers.length} of ${total}</span> ${step(offset + PAGE, "later ›")}</p>`
      }
      <${ActionForm} submit="Sign up" act=${signUp}>
        <${Input} label="Name of a new publisher" name="name" placeholder="any" /></${ActionForm}>`
    }`;
}

function Details(props: {
  readonly source: Source;
  readonly page: Loaded<Listing>;
  readonly publisher: Publisher;
  readonly isOpen: boolean;
}): Part {
  const { source, page, publisher, isOpen } = props;
  const { id, name, apiKey, surfaces } = publisher;
  const path = `publishers/${encodeURIComponent(id)}`;
  const rotate = (): Promise<void> => source.send("POST", `${path}/rotate-key`).then(page.reload);
  const toggle = ({ id: surface, status }: Surface): Part => {
    const next = { status: status === "active" ? "paused" : "active" };
    const act = (): Promise<void> =>
      source.send("PATCH", `${path}/surfaces/${surface}`, next).then(page.reload);
    return html`<${ActionButton} label=${status === "active" ? "Pause" : "Activate"} act=${act} />`;
  };
  return html`<details class="point" open=${isOpen}>
    <summary><b>${printable(name)}</b> <code>${id}</code></summary>
    ${
      !source.isFile &&
      html`<p class="buttons"><code>${apiKey}</code> <${CopyButton} label="Copy the key" text=${apiKey} />
        <${ActionButton} label="New key" question="Replace the key?" act=${rotate} /></p>`
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
