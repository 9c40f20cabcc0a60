import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: OutboxOperatorOptions","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/outbox/interfaces/OutboxOperatorOptions.md","filePath":"reference/api/pawl/outbox/interfaces/OutboxOperatorOptions.md"}');
const _sfc_main = { name: "reference/api/pawl/outbox/interfaces/OutboxOperatorOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-outboxoperatoroptions" tabindex="-1">Interface: OutboxOperatorOptions <a class="header-anchor" href="#interface-outboxoperatoroptions" aria-label="Permalink to &quot;Interface: OutboxOperatorOptions&quot;">​</a></h1><p>The options of <code>outboxOperator</code>.</p><h2 id="example" tabindex="-1">Example <a class="header-anchor" href="#example" aria-label="Permalink to &quot;Example&quot;">​</a></h2><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">const</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> options</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> OutboxOperatorOptions</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> { outbox: </span><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">dynamoOutbox</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">({ tableName: process.env.</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">OUTBOX_TABLE</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">, aws }) };</span></span></code></pre></div><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="outbox" tabindex="-1">outbox <a class="header-anchor" href="#outbox" aria-label="Permalink to &quot;outbox&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">outbox</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: Pick</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">&lt;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">Outbox, </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;store&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">&gt;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>The outbox, as the workers have it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/outbox/interfaces/OutboxOperatorOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const OutboxOperatorOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  OutboxOperatorOptions as default
};
