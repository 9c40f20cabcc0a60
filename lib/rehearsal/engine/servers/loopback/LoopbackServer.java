import java.lang.reflect.Field;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.main.ServerRunner;
import software.amazon.dynamodb.services.local.server.DynamoDBProxyServer;

/**
 * Starts DynamoDB Local on 127.0.0.1 only. Its own main class listens on every interface of the machine and has no option for it.
 *
 * The compiled class lies beside this file, because a Java runtime has no compiler. After a change, compile it again; a test
 * compares the two:
 *
 *   javac --release 17 -g:none -proc:none -cp "DynamoDBLocal.jar:DynamoDBLocal_lib/*" LoopbackServer.java
 */
public final class LoopbackServer {
  public static void main(String[] arguments) throws Exception {
    DynamoDBProxyServer proxy = ServerRunner.createServerFromCommandLineArgs(arguments);
    // By reflection: no method gives the server. A release without this field ends here, before anything listens.
    Field field = DynamoDBProxyServer.class.getDeclaredField("server");
    field.setAccessible(true);
    for (Connector connector : ((Server) field.get(proxy)).getConnectors()) {
      ((ServerConnector) connector).setHost("127.0.0.1");
    }
    proxy.start();
  }
}
