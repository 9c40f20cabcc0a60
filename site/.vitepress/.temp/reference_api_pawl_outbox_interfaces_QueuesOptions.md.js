import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: QueuesOptions","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/outbox/interfaces/QueuesOptions.md","filePath":"reference/api/pawl/outbox/interfaces/QueuesOptions.md"}');
const _sfc_main = { name: "reference/api/pawl/outbox/interfaces/QueuesOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-queuesoptions" tabindex="-1">Interface: QueuesOptions <a class="header-anchor" href="#interface-queuesoptions" aria-label="Permalink to &quot;Interface: QueuesOptions&quot;">​</a></h1><p>The options of <code>queues</code>.</p><h2 id="example" tabindex="-1">Example <a class="header-anchor" href="#example" aria-label="Permalink to &quot;Example&quot;">​</a></h2><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">import</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> { dynamoStore } </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">from</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &#39;pawl/dynamodb&#39;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span>
<span class="line"></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">const</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> options</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> QueuesOptions</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> { aws: </span><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">dynamoStore</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">({ tableName: process.env.</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">CLAIMS_TABLE</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> }).aws };</span></span></code></pre></div><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="aws" tabindex="-1">aws <a class="header-anchor" href="#aws" aria-label="Permalink to &quot;aws&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">aws</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: Aws;</span></span></code></pre></div><p>The way to AWS: that of the store of the claims (<code>store.aws</code>), <code>sdk()</code> or <code>lean()</code>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/outbox/interfaces/QueuesOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const QueuesOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  QueuesOptions as default
};
