import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: OutboxRelayOptions","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/outbox/type-aliases/OutboxRelayOptions.md","filePath":"reference/api/pawl/outbox/type-aliases/OutboxRelayOptions.md"}');
const _sfc_main = { name: "reference/api/pawl/outbox/type-aliases/OutboxRelayOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-outboxrelayoptions" tabindex="-1">Type Alias: OutboxRelayOptions <a class="header-anchor" href="#type-alias-outboxrelayoptions" aria-label="Permalink to &quot;Type Alias: OutboxRelayOptions&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> OutboxRelayOptions</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> OutboxSweepOptions</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>The options of <code>outboxRelay</code>.</p><h2 id="example" tabindex="-1">Example <a class="header-anchor" href="#example" aria-label="Permalink to &quot;Example&quot;">​</a></h2><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">const</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> options</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> OutboxRelayOptions</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> { outbox: </span><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">dynamoOutbox</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">({ tableName: process.env.</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">OUTBOX_TABLE</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">, aws }), concurrency: </span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">20</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> };</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/outbox/type-aliases/OutboxRelayOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const OutboxRelayOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  OutboxRelayOptions as default
};
