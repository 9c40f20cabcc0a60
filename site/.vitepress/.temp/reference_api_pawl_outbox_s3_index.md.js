import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"pawl/outbox/s3","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/outbox/s3/index.md","filePath":"reference/api/pawl/outbox/s3/index.md"}');
const _sfc_main = { name: "reference/api/pawl/outbox/s3/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="pawloutboxs3" tabindex="-1">pawl/outbox/s3 <a class="header-anchor" href="#pawloutboxs3" aria-label="Permalink to &quot;pawl/outbox/s3&quot;">​</a></h1><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/LargeBodiesOptions.html">LargeBodiesOptions</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/largeBodies.html">largeBodies</a></li></ul><h2 id="references" tabindex="-1">References <a class="header-anchor" href="#references" aria-label="Permalink to &quot;References&quot;">​</a></h2><h3 id="largebodies" tabindex="-1">LargeBodies <a class="header-anchor" href="#largebodies" aria-label="Permalink to &quot;LargeBodies&quot;">​</a></h3><p>Re-exports <a href="./../interfaces/LargeBodies.html">LargeBodies</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/outbox/s3/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
