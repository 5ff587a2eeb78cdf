/** The publishers of a world: their keys and surfaces, and new ones. */

import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { printable } from "../../base/text.ts";
import type { Publisher, Surface } from "../../world/accounts/account.ts";
import { type Method, Refusal } from "./api.ts";
import { Input } from "./fields.ts";
import { useLoaded } from "./loading.ts";
import type { ViewProps } from "./log.ts";
import {
  ActionButton,
  ActionForm,
  CopyButton,
  link,
  OnServer,
  type Part,
  Table,
  Waiting,
} from "./parts.ts";

const PAGE = 20;

interface Listing {
  readonly publishers: readonly Publisher[];
  readonly total: number;
}

export function PublishersSection({ api, version }: ViewProps): Part {
  const [offset, setOffset] = useState(0);
  /** The id of the one that was signed up last, or looked for. */
  const [chosen, choose] = useState("");
  const one = useLoaded(
    async () => (chosen === "" ? undefined : await api.get<Publisher>(pathOf(chosen))),
    [api, chosen],
    { version },
  );
  const loaded = useLoaded(
    () => api.get<Listing>(`publishers?offset=${offset}&limit=${PAGE}`),
    [api, offset],
    { version },
  );
  const { publishers = [], total } = loaded.value ?? {};
  const isPast = total !== undefined && offset > 0 && offset >= total;
  useEffect(() => {
    if (isPast) setOffset(Math.max(0, Math.ceil(total / PAGE) - 1) * PAGE);
  }, [isPast]);
  const send = async <Value>(method: Method, path: string, body: object): Promise<Value> => {
    const answer = await api.send<Value>(method, path, body);
    loaded.reload();
    one.reload();
    return answer;
  };
  const signUp = async ({ name = "", surfaces = "" }): Promise<void> => {
    const names = surfaces
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "");
    const given = {
      ...(name === "" ? {} : { name }),
      ...(names.length === 0 ? {} : { surfaces: names }),
    };
    choose((await send<Publisher>("POST", "publishers", given)).id);
  };
  const find = async ({ id = "" }): Promise<void> => {
    const wanted = id.trim();
    if (wanted === "") throw new Refusal("id is required", "id");
    choose((await api.get<Publisher>(pathOf(wanted))).id);
  };
  const shown = publishers.filter(({ id }) => id !== chosen);

  const pager = (to: number, label: string): Part => {
    const isOut = to < 0 || (to > offset && to >= (total ?? 0));
    return html`<button type="button" class="small" aria-disabled=${isOut}
      onClick=${() => isOut || setOffset(to)}>${label}</button>`;
  };
  return html`
    <${OnServer}>
    <section><h3>Sign up</h3>
      <${ActionForm} submit="Sign up" isEmptied=${true} act=${signUp}>
        <${Input} label="Name" name="name" placeholder="New publisher" />
        <${Input} label="Names of surfaces, with commas" name="surfaces" placeholder="Main" />
      </${ActionForm}>
    </section>
    <section><h3>Find</h3>
      <${ActionForm} submit="Find" act=${find}>
        <${Input} label="Id" name="id" placeholder=${publishers[0]?.id ?? ""} />
      </${ActionForm}>
    </section>
    </${OnServer}>
    ${one.value !== undefined && html`<${Details} key=${chosen} publisher=${one.value} isOpen=${true} send=${send} />`}
    <${Waiting} loaded=${loaded} />
    <${OnServer}><p class="buttons">${pager(offset - PAGE, "‹ earlier")}
      <span>${total === undefined ? "" : `${offset + 1} to ${Math.min(offset + PAGE, total)} of ${total}`}</span>${pager(offset + PAGE, "later ›")}</p></${OnServer}>
    ${shown.map((publisher) => html`<${Details} key=${publisher.id} publisher=${publisher} send=${send} />`)}`;
}

function pathOf(publisher: string): string {
  return `publishers/${encodeURIComponent(publisher)}`;
}

function Details(props: {
  readonly publisher: Publisher;
  readonly isOpen?: boolean;
  send(method: Method, path: string, body: object): Promise<unknown>;
}): Part {
  const { publisher, isOpen = false, send } = props;
  const { id, name, apiKey, surfaces } = publisher;
  const path = pathOf(id);
  const toggle = ({ id: surface, status }: Surface): Part => {
    const next = status === "active" ? "paused" : "active";
    const label = next === "active" ? "activate" : "pause";
    return html`<${OnServer}><${ActionButton} key=${surface} label=${label}
      act=${() => send("PATCH", `${path}/surfaces/${encodeURIComponent(surface)}`, { status: next })} /></${OnServer}>`;
  };
  return html`<details class="point" open=${isOpen}>
    <summary>${printable(name)} <span class="quiet"><code>${id}</code></span></summary>
    <p class="buttons">
      <${OnServer}>
        <code>${apiKey}</code>
        <${CopyButton} label="Copy the key" text=${apiKey} />
        <${ActionButton} label="Rotate the key" act=${() => send("POST", `${path}/rotate-key`, {})} />
      </${OnServer}>
      <${CopyButton} label="Copy the id" text=${id} />
      ${link({ view: undefined, section: undefined, publisher: id }, "its exchanges")}
    </p>
    <${Table} label="Surfaces" head=${["surface", "name", "status", "CPM", ""]} keys=${surfaces.map(({ id }) => id)}
      rows=${surfaces.map((one) => [one.id, one.name, one.status, one.cpmRange.join(" – "), toggle(one)])} />
  </details>`;
}
