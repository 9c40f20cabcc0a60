import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: SweptFate","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/@pawl/testing/type-aliases/SweptFate.md","filePath":"reference/api/@pawl/testing/type-aliases/SweptFate.md"}');
const _sfc_main = { name: "reference/api/@pawl/testing/type-aliases/SweptFate.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-sweptfate" tabindex="-1">Type Alias: SweptFate <a class="header-anchor" href="#type-alias-sweptfate" aria-label="Permalink to &quot;Type Alias: SweptFate&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> SweptFate</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;acknowledged&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;dead-lettered&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;stuck&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>What became of a message. <code>acknowledged</code>: it is done; a caller was told so. <code>dead-lettered</code>: it is in the dead-letter queue; a caller was refused. <code>stuck</code>: nothing, for as long as a queue keeps it, or for as often as a caller asks.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/@pawl/testing/type-aliases/SweptFate.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SweptFate = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SweptFate as default
};
