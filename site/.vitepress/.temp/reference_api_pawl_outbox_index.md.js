import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"pawl/outbox","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/outbox/index.md","filePath":"reference/api/pawl/outbox/index.md"}');
const _sfc_main = { name: "reference/api/pawl/outbox/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="pawloutbox" tabindex="-1">pawl/outbox <a class="header-anchor" href="#pawloutbox" aria-label="Permalink to &quot;pawl/outbox&quot;">​</a></h1><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/Destination.html">Destination</a></li><li><a href="./interfaces/DynamoOutbox.html">DynamoOutbox</a></li><li><a href="./interfaces/DynamoOutboxOptions.html">DynamoOutboxOptions</a></li><li><a href="./interfaces/LargeBodies.html">LargeBodies</a></li><li><a href="./interfaces/Outbox.html">Outbox</a></li><li><a href="./interfaces/OutboxActResult.html">OutboxActResult</a></li><li><a href="./interfaces/OutboxMessage.html">OutboxMessage</a></li><li><a href="./interfaces/OutboxOperator.html">OutboxOperator</a></li><li><a href="./interfaces/OutboxOperatorOptions.html">OutboxOperatorOptions</a></li><li><a href="./interfaces/OutboxPage.html">OutboxPage</a></li><li><a href="./interfaces/OutboxQuery.html">OutboxQuery</a></li><li><a href="./interfaces/OutboxRecord.html">OutboxRecord</a></li><li><a href="./interfaces/OutboxReport.html">OutboxReport</a></li><li><a href="./interfaces/OutboxStore.html">OutboxStore</a></li><li><a href="./interfaces/OutboxSweepOptions.html">OutboxSweepOptions</a></li><li><a href="./interfaces/PreparedMessages.html">PreparedMessages</a></li><li><a href="./interfaces/Problem.html">Problem</a></li><li><a href="./interfaces/QueuesOptions.html">QueuesOptions</a></li><li><a href="./interfaces/RelayResponse.html">RelayResponse</a></li><li><a href="./interfaces/SweepInvocation.html">SweepInvocation</a></li><li><a href="./interfaces/WaitingMessage.html">WaitingMessage</a></li></ul><h2 id="type-aliases" tabindex="-1">Type Aliases <a class="header-anchor" href="#type-aliases" aria-label="Permalink to &quot;Type Aliases&quot;">​</a></h2><ul><li><a href="./type-aliases/OutboxRelayOptions.html">OutboxRelayOptions</a></li><li><a href="./type-aliases/OutboxSweepHandler.html">OutboxSweepHandler</a></li><li><a href="./type-aliases/RelayHandler.html">RelayHandler</a></li><li><a href="./type-aliases/Sendable.html">Sendable</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/dynamoOutbox.html">dynamoOutbox</a></li><li><a href="./functions/outboxOperator.html">outboxOperator</a></li><li><a href="./functions/outboxRelay.html">outboxRelay</a></li><li><a href="./functions/outboxSweep.html">outboxSweep</a></li><li><a href="./functions/queues.html">queues</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/outbox/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
