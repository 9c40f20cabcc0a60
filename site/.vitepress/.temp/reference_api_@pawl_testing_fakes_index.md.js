import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"@pawl/testing/fakes","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/@pawl/testing/fakes/index.md","filePath":"reference/api/@pawl/testing/fakes/index.md"}');
const _sfc_main = { name: "reference/api/@pawl/testing/fakes/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="pawltestingfakes" tabindex="-1">@pawl/testing/fakes <a class="header-anchor" href="#pawltestingfakes" aria-label="Permalink to &quot;@pawl/testing/fakes&quot;">​</a></h1><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/FakeContext.html">FakeContext</a></li><li><a href="./interfaces/FakeRecord.html">FakeRecord</a></li><li><a href="./interfaces/HiddenMessage.html">HiddenMessage</a></li><li><a href="./interfaces/SentMessage.html">SentMessage</a></li></ul><h2 id="variables" tabindex="-1">Variables <a class="header-anchor" href="#variables" aria-label="Permalink to &quot;Variables&quot;">​</a></h2><ul><li><a href="./variables/fakes.html">fakes</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/@pawl/testing/fakes/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
