import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: SqsBatchResponse","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/sqs/interfaces/SqsBatchResponse.md","filePath":"reference/api/pawl/sqs/interfaces/SqsBatchResponse.md"}');
const _sfc_main = { name: "reference/api/pawl/sqs/interfaces/SqsBatchResponse.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-sqsbatchresponse" tabindex="-1">Interface: SqsBatchResponse <a class="header-anchor" href="#interface-sqsbatchresponse" aria-label="Permalink to &quot;Interface: SqsBatchResponse&quot;">​</a></h1><p>What a consumer with <code>ReportBatchItemFailures</code> returns: the messages that are to come again.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="batchitemfailures" tabindex="-1">batchItemFailures <a class="header-anchor" href="#batchitemfailures" aria-label="Permalink to &quot;batchItemFailures&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">batchItemFailures</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: object[];</span></span></code></pre></div><h4 id="itemidentifier" tabindex="-1">itemIdentifier <a class="header-anchor" href="#itemidentifier" aria-label="Permalink to &quot;itemIdentifier&quot;">​</a></h4><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">itemIdentifier</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: string;</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/sqs/interfaces/SqsBatchResponse.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SqsBatchResponse = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SqsBatchResponse as default
};
