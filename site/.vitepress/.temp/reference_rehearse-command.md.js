import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"The command pawl rehearse","description":"","frontmatter":{},"headers":[],"relativePath":"reference/rehearse-command.md","filePath":"reference/rehearse-command.md"}');
const _sfc_main = { name: "reference/rehearse-command.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="the-command-pawl-rehearse" tabindex="-1">The command pawl rehearse <a class="header-anchor" href="#the-command-pawl-rehearse" aria-label="Permalink to &quot;The command pawl rehearse&quot;">​</a></h1><p><code>npx pawl rehearse [file …]</code> runs <a href="./../guides/rehearsal.html">a rehearsal</a>. Without a file, it takes the <code>rehearsal.ts</code> of the folder. Its options: <a href="./commands.html#pawl-rehearse"><code>pawl rehearse</code></a>.</p><h2 id="exit-codes" tabindex="-1">Exit codes <a class="header-anchor" href="#exit-codes" aria-label="Permalink to &quot;Exit codes&quot;">​</a></h2><table tabindex="0"><thead><tr><th>exit code</th><th>meaning</th></tr></thead><tbody><tr><td>0</td><td>no effect was doubled, lost or left unfinished</td></tr><tr><td>1</td><td>the app doubled, lost or did not finish an effect, <code>check</code> found something, or the rehearsal shows nothing</td></tr><tr><td>2</td><td>there is no verdict: the rehearsal could not run, <a href="#a-slow-machine">the machine was too slow</a>, a function needs longer than <a href="./../guides/rehearsal.html#timeouts">its shortened timeout</a>, or the app asked for <a href="./../guides/rehearsal.html#providers">an address that nothing stands for</a></td></tr></tbody></table><p><code>npm start</code> in the repository has the same exit codes.</p><h2 id="a-slow-machine" tabindex="-1">A slow machine <a class="header-anchor" href="#a-slow-machine" aria-label="Permalink to &quot;A slow machine&quot;">​</a></h2><p>A rehearsal judges time by what the machine gave. The time in which a sandbox, or the rehearsal itself, stood ready and did not run counts for no timeout: neither that of the function, nor the visibility timeout of its messages. Linux says how long that was. On another system, the rehearsal takes how late its own timers are, and how long a process takes to start. A function that waits for a provider uses its time up.</p><ul><li>An effect is <em>not judged</em> if a function did not have its time for it, or had it later than it was told, and the effect came to harm. If nothing else is wrong, the exit code is 2.</li><li>If the rehearsal itself hardly runs for 20 seconds, it ends with exit code 2. If the app has doubled an effect by then, and its functions had their time, the exit code is 1. What had not happened by then is not judged, and what <code>check</code> finds does not count.</li></ul><p>End what else is running, or set <code>sandboxesPerFunction</code> to 1. Whatever fails, the rehearsal ends within ten seconds, with all that it has started.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/rehearse-command.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const rehearseCommand = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  rehearseCommand as default
};
