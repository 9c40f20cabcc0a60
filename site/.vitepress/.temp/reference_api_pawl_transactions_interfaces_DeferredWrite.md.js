import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: DeferredWrite","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/transactions/interfaces/DeferredWrite.md","filePath":"reference/api/pawl/transactions/interfaces/DeferredWrite.md"}');
const _sfc_main = { name: "reference/api/pawl/transactions/interfaces/DeferredWrite.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-deferredwrite" tabindex="-1">Interface: DeferredWrite <a class="header-anchor" href="#interface-deferredwrite" aria-label="Permalink to &quot;Interface: DeferredWrite&quot;">​</a></h1><p>A write that its maker turns into actions of a transaction.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/transactions/interfaces/DeferredWrite.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const DeferredWrite = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  DeferredWrite as default
};
