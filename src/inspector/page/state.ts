/** The state of a world as a whole: saved, loaded, forked, reset. */

import { html } from "htm/preact";
import type { TargetedEvent } from "preact";
import { useState } from "preact/hooks";
import {
  ActionButton,
  ActionForm,
  type DrawerProps,
  Input,
  type Part,
  type Values,
} from "./parts.ts";
import { Refusal, type Source } from "./source.ts";

export function StateOfWorld({ source }: DrawerProps): Part {
  const [file, setFile] = useState<File>();
  const load = async (): Promise<void> => {
    if (file === undefined) throw new Refusal("Choose a file first.");
    await source.send("PUT", "snapshot", await file.text());
  };
  return html`
    <section><h3>Save and load</h3>
      <p class="buttons"><${ActionButton} label="Save to a file" act=${() => download(source)} />
        <label class="field"><span>A saved file</span><input type="file" accept=".json,application/json"
          onChange=${(event: TargetedEvent<HTMLInputElement>) => setFile(event.currentTarget.files?.[0])} /></label>
        <${ActionButton} label="Load" question="Replace this world's state?" act=${load} /></p></section>
    <section><h3>Fork</h3><${NewWorld} source=${source} label="Fork this world" name="fork-1" /></section>
    <section><h3>Reset</h3>
      <${ActionButton} label="Reset this world" question="Forget all that happened?" act=${() => source.send("POST", "reset")} /></section>`;
}

/** Makes a copy of this world, as it is or as it was after an exchange, and opens it. */
export function NewWorld(props: {
  readonly source: Source;
  readonly label: string;
  readonly name: string;
  readonly after?: number;
}): Part {
  const { source, label, after } = props;
  const make = async ({ name = "" }: Values): Promise<void> => {
    await source.send("POST", "worlds", { name, after });
    location.assign(source.pageOf(name));
  };
  return html`<${ActionForm} submit=${label} act=${make}>
    <${Input} label="Name of the new world" name="name" value=${props.name} /></${ActionForm}>`;
}

async function download(source: Source): Promise<void> {
  const snapshot = JSON.stringify(await source.get("snapshot"));
  const url = URL.createObjectURL(new Blob([snapshot], { type: "application/json" }));
  const link = document.createElement("a");
  Object.assign(link, { href: url, download: `${source.world}.snapshot.json` }).click();
  URL.revokeObjectURL(url);
}
