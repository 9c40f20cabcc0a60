import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: PowertoolsRecords","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/powertools/type-aliases/PowertoolsRecords.md","filePath":"reference/api/pawl/powertools/type-aliases/PowertoolsRecords.md"}');
const _sfc_main = { name: "reference/api/pawl/powertools/type-aliases/PowertoolsRecords.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-powertoolsrecords" tabindex="-1">Type Alias: PowertoolsRecords <a class="header-anchor" href="#type-alias-powertoolsrecords" aria-label="Permalink to &quot;Type Alias: PowertoolsRecords&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> PowertoolsRecords</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;gate&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;read&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>What becomes of Powertools&#39; records.</p><ul><li><code>&#39;gate&#39;</code>: workers of both libraries run. Each call goes through Powertools&#39; record first, and ends it.</li><li><code>&#39;read&#39;</code>: no worker of Powertools runs any more. What its records say still counts, until they expire. Nothing is written to them.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/powertools/type-aliases/PowertoolsRecords.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PowertoolsRecords = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PowertoolsRecords as default
};
