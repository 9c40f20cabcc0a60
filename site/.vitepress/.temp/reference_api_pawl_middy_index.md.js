import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"pawl/middy","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/middy/index.md","filePath":"reference/api/pawl/middy/index.md"}');
const _sfc_main = { name: "reference/api/pawl/middy/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="pawlmiddy" tabindex="-1">pawl/middy <a class="header-anchor" href="#pawlmiddy" aria-label="Permalink to &quot;pawl/middy&quot;">​</a></h1><h2 id="type-aliases" tabindex="-1">Type Aliases <a class="header-anchor" href="#type-aliases" aria-label="Permalink to &quot;Type Aliases&quot;">​</a></h2><ul><li><a href="./type-aliases/SqsOnceOptions.html">SqsOnceOptions</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/openedMessage.html">openedMessage</a></li><li><a href="./functions/sqsOnce.html">sqsOnce</a></li></ul><h2 id="references" tabindex="-1">References <a class="header-anchor" href="#references" aria-label="Permalink to &quot;References&quot;">​</a></h2><h3 id="message" tabindex="-1">Message <a class="header-anchor" href="#message" aria-label="Permalink to &quot;Message&quot;">​</a></h3><p>Re-exports <a href="./../sqs/interfaces/Message.html">Message</a></p><hr><h3 id="sqsevent" tabindex="-1">SqsEvent <a class="header-anchor" href="#sqsevent" aria-label="Permalink to &quot;SqsEvent&quot;">​</a></h3><p>Re-exports <a href="./../sqs/interfaces/SqsEvent.html">SqsEvent</a></p><hr><h3 id="sqsrecord" tabindex="-1">SqsRecord <a class="header-anchor" href="#sqsrecord" aria-label="Permalink to &quot;SqsRecord&quot;">​</a></h3><p>Re-exports <a href="./../sqs/interfaces/SqsRecord.html">SqsRecord</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/middy/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
