import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Which test when","description":"","frontmatter":{},"headers":[],"relativePath":"guides/ladder.md","filePath":"guides/ladder.md"}');
const _sfc_main = { name: "guides/ladder.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="which-test-when" tabindex="-1">Which test when <a class="header-anchor" href="#which-test-when" aria-label="Permalink to &quot;Which test when&quot;">​</a></h1><p>Each step is slower than the one before it, and closer to AWS. Use the fastest that can show what you ask.</p><table tabindex="0"><thead><tr><th>step</th><th>takes</th><th>runs</th><th>shows</th><th>cannot show</th></tr></thead><tbody><tr><td><a href="./testing.html">crash sweep</a>: <code>assertSurvivesCrashes</code> in a unit test</td><td>milliseconds</td><td>your handler, a store in memory, a virtual clock</td><td>a crash, an error or a lost response at every await, alone and in pairs</td><td>your wiring, your SDK calls, your other functions</td></tr><tr><td><a href="./rehearsal.html">rehearsal</a>: <code>npx pawl rehearse</code></td><td>a minute</td><td>your whole CDK app: real processes, DynamoDB Local, local queues</td><td>what doubles and what is lost across functions, queues and tables, with your wiring</td><td>IAM, quotas, the services that it lists as not run</td></tr><tr><td><a href="./e2e-deploy.html"><code>npm run e2e -- deploy</code></a>, of this repository</td><td>minutes</td><td>a deployment of CloudFormation into an emulator</td><td>that the templates deploy, and the app works as deployed</td><td>what only AWS does</td></tr><tr><td><a href="./verify-account.html">an account</a>: <code>npm run e2e -- account</code>, and <code>npx pawl doctor &lt;stack&gt;</code></td><td>minutes, and costs money</td><td>AWS</td><td>permissions, and how AWS itself behaves</td><td>rare faults: AWS loses a response when it likes</td></tr></tbody></table><ul><li><strong>At each change of a handler</strong>: the crash sweep. It is the only step that tries every await.</li><li><strong>At each pull request, and when the wiring changes</strong>: the rehearsal. It finds <code>ReportBatchItemFailures</code> that is off, a visibility timeout that is too short, a client that repeats its calls.</li><li><strong>Before you deploy for the first time, and after a change of constructs</strong>: an account of your own, and <code>pawl doctor</code>.</li></ul><p>A sweep without findings and a rehearsal with a doubled effect do not contradict each other: the cause is then between the functions. Read <a href="./rehearsal-report.html#a-story">the story</a>, and begin with the hint under <em>Why</em>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("guides/ladder.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ladder = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ladder as default
};
