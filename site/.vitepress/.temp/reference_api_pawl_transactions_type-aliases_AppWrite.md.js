import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: AppWrite","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/transactions/type-aliases/AppWrite.md","filePath":"reference/api/pawl/transactions/type-aliases/AppWrite.md"}');
const _sfc_main = { name: "reference/api/pawl/transactions/type-aliases/AppWrite.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-appwrite" tabindex="-1">Type Alias: AppWrite <a class="header-anchor" href="#type-alias-appwrite" aria-label="Permalink to &quot;Type Alias: AppWrite&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> AppWrite</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> TransactAction</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>One write of the application&#39;s, as <code>TransactWriteCommand</code> of <code>@aws-sdk/lib-dynamodb</code> takes it: Put, Update, Delete, ConditionCheck.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/transactions/type-aliases/AppWrite.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AppWrite = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AppWrite as default
};
