import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"pawl/outbox/sns","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/outbox/sns/index.md","filePath":"reference/api/pawl/outbox/sns/index.md"}');
const _sfc_main = { name: "reference/api/pawl/outbox/sns/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="pawloutboxsns" tabindex="-1">pawl/outbox/sns <a class="header-anchor" href="#pawloutboxsns" aria-label="Permalink to &quot;pawl/outbox/sns&quot;">​</a></h1><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/TopicsOptions.html">TopicsOptions</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/topics.html">topics</a></li></ul><h2 id="references" tabindex="-1">References <a class="header-anchor" href="#references" aria-label="Permalink to &quot;References&quot;">​</a></h2><h3 id="destination" tabindex="-1">Destination <a class="header-anchor" href="#destination" aria-label="Permalink to &quot;Destination&quot;">​</a></h3><p>Re-exports <a href="./../interfaces/Destination.html">Destination</a></p><hr><h3 id="problem" tabindex="-1">Problem <a class="header-anchor" href="#problem" aria-label="Permalink to &quot;Problem&quot;">​</a></h3><p>Re-exports <a href="./../interfaces/Problem.html">Problem</a></p><hr><h3 id="sendable" tabindex="-1">Sendable <a class="header-anchor" href="#sendable" aria-label="Permalink to &quot;Sendable&quot;">​</a></h3><p>Re-exports <a href="./../type-aliases/Sendable.html">Sendable</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/outbox/sns/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
