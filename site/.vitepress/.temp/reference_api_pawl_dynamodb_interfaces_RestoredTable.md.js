import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RestoredTable","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/dynamodb/interfaces/RestoredTable.md","filePath":"reference/api/pawl/dynamodb/interfaces/RestoredTable.md"}');
const _sfc_main = { name: "reference/api/pawl/dynamodb/interfaces/RestoredTable.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-restoredtable" tabindex="-1">Interface: RestoredTable <a class="header-anchor" href="#interface-restoredtable" aria-label="Permalink to &quot;Interface: RestoredTable&quot;">​</a></h1><p>What a store is handed for a table that was restored. Only such a store carries the code of it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/dynamodb/interfaces/RestoredTable.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RestoredTable = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RestoredTable as default
};
